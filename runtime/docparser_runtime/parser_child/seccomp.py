"""A system call filter: the process may compute, use memory, and talk on the socket it has.

Everything else fails with EPERM: opening files, sockets, starting programs,
threads, and making memory executable. The filter is a classic BPF program as
the kernel's Documentation/userspace-api/seccomp_filter.rst describes it.
"""

import ctypes
import errno
import platform
from dataclasses import dataclass
from functools import cache
from struct import Struct

LIBC = ctypes.CDLL(None, use_errno=True)

NO_NEW_PRIVILEGES = 38
"""PR_SET_NO_NEW_PRIVS: without it the kernel takes no filter from an unprivileged process."""
_SET_SECCOMP = 22
_MODE_FILTER = 2

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_REFUSE = 0x00050000 | errno.EPERM

_LOAD = 0x20
_JUMP_IF_EQUAL = 0x15
_JUMP_IF_ANY_BIT = 0x45
_RETURN = 0x06
_OFFSET_OF_NUMBER = 0
_OFFSET_OF_ARCHITECTURE = 4
_OFFSET_OF_THIRD_ARGUMENT = 32
"""Its low half; both architectures are little-endian."""
_EXECUTABLE = 0x4

_INSTRUCTION = Struct("=HBBI")


@dataclass(frozen=True)
class Architecture:
    """Numbers of one machine: its audit name and its system calls."""

    audit: int
    allowed: tuple[int, ...]
    memory: tuple[int, ...]
    """Calls whose third argument is a memory protection."""


# fmt: off
ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, (
        0, 1, 19, 20,         # read write readv writev
        44, 45, 46, 47, 48,   # sendto recvfrom sendmsg recvmsg shutdown
        3, 5, 8, 262,         # close fstat lseek newfstatat
        11, 12, 25, 28,       # munmap brk mremap madvise
        13, 14, 15, 131,      # rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack
        7, 202, 24, 219,      # poll futex sched_yield restart_syscall
        35, 228, 229, 230,    # nanosleep clock_gettime clock_getres clock_nanosleep
        96, 201, 98,          # gettimeofday time getrusage
        97, 160, 302,         # getrlimit setrlimit prlimit64
        39, 186, 318,         # getpid gettid getrandom
        60, 231,              # exit exit_group
    ), memory=(9, 10)),       # mmap mprotect
    "aarch64": Architecture(0xC00000B7, (
        63, 64, 65, 66,
        206, 207, 211, 212, 210,
        57, 80, 62, 79,
        215, 214, 216, 233,
        134, 135, 139, 132,
        73, 98, 124, 128,     # ppoll futex sched_yield restart_syscall
        101, 113, 114, 115,
        169, 165,             # gettimeofday getrusage
        163, 164, 261,
        172, 178, 278,
        93, 94,
    ), memory=(222, 226)),
}
# fmt: on


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def program(architecture: Architecture) -> bytes:
    """Return the filter as BPF instructions."""
    # Jumps count the instructions they skip; the last three are refuse, allow, kill.
    body: list[tuple[int, int | str, int | str, int]] = [
        (_LOAD, 0, 0, _OFFSET_OF_ARCHITECTURE),
        (_JUMP_IF_EQUAL, 0, "kill", architecture.audit),
        (_LOAD, 0, 0, _OFFSET_OF_NUMBER),
        *((_JUMP_IF_EQUAL, "allow", 0, number) for number in architecture.allowed),
        *((_JUMP_IF_EQUAL, "memory", 0, number) for number in architecture.memory),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _OFFSET_OF_THIRD_ARGUMENT),
        (_JUMP_IF_ANY_BIT, "refuse", "allow", _EXECUTABLE),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _KILL_PROCESS),
    ]
    end = len(body)
    labels = {"memory": end - 5, "refuse": end - 3, "allow": end - 2, "kill": end - 1}

    def distance(target: int | str, position: int) -> int:
        return target if isinstance(target, int) else labels[target] - position - 1

    return b"".join(
        _INSTRUCTION.pack(code, distance(yes, position), distance(no, position), operand)
        for position, (code, yes, no, operand) in enumerate(body)
    )


@cache
def own_program() -> bytes:
    """Return the filter for this machine, made once: copies of this process have it then.

    Raises:
        OSError: the machine is none of `ARCHITECTURES`.
    """
    architecture = ARCHITECTURES.get(platform.machine())
    if architecture is None:
        raise OSError(errno.ENOSYS, "no system call table for this machine")
    return program(architecture)


def install() -> None:
    """Put this thread under the filter, for good.

    Raises:
        OSError: the kernel refuses, or the machine is none of `ARCHITECTURES`.
    """
    code = own_program()
    filter_program = _Program(len(code) // _INSTRUCTION.size, code)
    if LIBC.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(filter_program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel takes no system call filter")
