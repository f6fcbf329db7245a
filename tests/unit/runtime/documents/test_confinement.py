"""What a process can still do once it is confined."""

import json
import resource
import struct
import subprocess
import sys

import pytest
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.seccomp import ARCHITECTURES, Architecture, program

ALLOW = 0x7FFF0000
REFUSE = 0x00050001
KILL = 0x80000000

LIMITS = Limits(memory_bytes=64 * 1024**2, page_cpu_seconds=1, pages=1, page_pixels=10_000, dpi=72)

PROBE = """
import ctypes, json, mmap, os, resource, socket, subprocess, sys, threading
from docparser_runtime.parser_child.confinement import allow_cpu, confine
from docparser_runtime.parser_child.limits import Limits

def outcome(action):
    try:
        action()
    except BaseException as error:
        return type(error).__name__
    return "done"

def address_space():
    return resource.getrlimit(resource.RLIMIT_AS)[0]

libc = ctypes.CDLL(None, use_errno=True)
execve, ptrace, kill = libc.execve, libc.ptrace, os.kill
refused = confine(Limits.loads(sys.argv[1]))
answers = {
    "refused": refused,
    "socket": outcome(socket.socket),
    "exec": outcome(lambda: os.execv("/bin/true", ["true"])),
    "program": outcome(lambda: subprocess.run(["/bin/true"])),
    "fork": outcome(os.fork),
    "thread": outcome(lambda: threading.Thread(target=int).start()),
    "read": outcome(lambda: open("/etc/passwd")),
    "write": outcome(lambda: open("/tmp/probe", "w")),
    "list": outcome(lambda: os.listdir("/")),
    "kill": outcome(lambda: kill(os.getppid(), 0)),
    "executable memory": outcome(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)),
    "memory": outcome(lambda: mmap.mmap(-1, 4096)),
    "much memory": outcome(lambda: bytearray(80 * 1024**2)),
    "some memory": outcome(lambda: bytearray(40 * 1024**2)),
    "more cpu": outcome(lambda: allow_cpu(5)),
    "more address space": outcome(
        lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space() * 2,) * 2)
    ),
    "core": resource.getrlimit(resource.RLIMIT_CORE),
    "environment": dict(os.environ),
}
print(json.dumps(answers))
sys.stdout.flush()
os._exit(0)
"""


def answers_of(*runner: str) -> dict[str, object]:
    run = subprocess.run(
        [*runner, sys.executable, "-I", "-c", PROBE, LIMITS.dumps()],
        env={},
        capture_output=True,
        timeout=20,
        check=True,
    )
    answers = json.loads(run.stdout)
    assert isinstance(answers, dict)
    return answers


def test_a_confined_process_computes_and_does_nothing_else() -> None:
    answers = answers_of()
    assert answers == {
        "refused": [],
        "socket": "PermissionError",
        "exec": "PermissionError",
        "program": "PermissionError",
        "fork": "PermissionError",
        "thread": "RuntimeError",
        "read": "PermissionError",
        "write": "PermissionError",
        "list": "PermissionError",
        "kill": "PermissionError",
        "executable memory": "PermissionError",
        "memory": "done",
        "much memory": "MemoryError",
        "some memory": "done",
        "more cpu": "done",
        "more address space": "ValueError",
        "core": [0, 0],
        "environment": answers["environment"],
    }
    # Python itself sets this one where it finds no locale.
    assert set(answers["environment"] or ()) <= {"LC_CTYPE"}  # type: ignore[call-overload]


def test_cpu_time_runs_out() -> None:
    endless = (
        "import sys\n"
        "from docparser_runtime.parser_child.confinement import allow_cpu\n"
        "allow_cpu(0)\n"
        "while True: pass\n"
    )
    run = subprocess.run([sys.executable, "-I", "-c", endless], timeout=20, check=False)
    assert run.returncode == -24  # SIGXCPU


def test_limits_survive_their_way() -> None:
    assert Limits.loads(LIMITS.dumps()) == LIMITS


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
def test_the_filter_decides_as_its_tables_say(name: str) -> None:
    architecture = ARCHITECTURES[name]
    for number in range(600):
        for protection in (0x3, 0x5):
            is_allowed = number in architecture.allowed or (
                number in architecture.memory and protection == 0x3
            )
            expected = ALLOW if is_allowed else REFUSE
            assert verdict(architecture, architecture.audit, number, protection) == expected
    # The 32-bit calls of x86-64 and foreign architectures do not slip through.
    assert verdict(architecture, architecture.audit, 0x40000000 | 41, 0) == REFUSE
    assert verdict(architecture, 0x40000003, architecture.allowed[0], 0) == KILL


def test_the_tables_name_the_same_calls() -> None:
    x86, arm = ARCHITECTURES["x86_64"], ARCHITECTURES["aarch64"]
    # The older machine also has the calls `time` (glibc's fallback) next to gettimeofday.
    assert len(set(x86.allowed)) == len(x86.allowed) == len(arm.allowed) + 1
    assert len(set(arm.allowed)) == len(arm.allowed)


def verdict(architecture: Architecture, audit: int, number: int, protection: int) -> int:
    """Run the filter as the kernel would and return what it says."""
    data = struct.pack("<IIQ", number, audit, 0) + struct.pack("<6Q", 0, 0, protection, 0, 0, 0)
    code = [*struct.iter_unpack("=HBBI", program(architecture))]
    position = accumulator = 0
    while True:
        operation, yes, no, operand = code[position]
        position += 1
        if operation == 0x06:
            return int(operand)
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, operand)
        elif operation == 0x15:
            position += yes if accumulator == operand else no
        else:
            assert operation == 0x45
            position += yes if accumulator & operand else no


def test_memory_of_this_test_is_its_own_affair() -> None:
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
