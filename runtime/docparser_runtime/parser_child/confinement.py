"""Takes every power from this process that drawing pages does not need. There is no way back."""

import os
import resource
import signal

from docparser_runtime.parser_child import seccomp
from docparser_runtime.parser_child.limits import Limits

_SET_PARENT_DEATH_SIGNAL = 1
_SET_DUMPABLE = 4
_OPEN_FILES = 16
"""The socket and the three standard streams, with room to spare."""


def confine(limits: Limits) -> list[str]:
    """Confine this process and return the names of the measures that the kernel refused.

    The address space is bounded relative to what the process occupies now:
    interpreter and libraries take some, and only the document is to be bounded.
    """
    refused = []
    try:
        # Should the node run out of memory, this process goes and not the service.
        _write("/proc/self/oom_score_adj", b"1000")
    except OSError:
        refused.append("oom_score_adj")
    baseline = _address_space_bytes()
    _limit(resource.RLIMIT_AS, baseline + limits.memory_bytes)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    for name, option, value in (
        ("parent_death_signal", _SET_PARENT_DEATH_SIGNAL, signal.SIGKILL),
        ("not_dumpable", _SET_DUMPABLE, 0),
        ("no_new_privileges", seccomp.NO_NEW_PRIVILEGES, 1),
    ):
        if seccomp.LIBC.prctl(option, value, 0, 0, 0) != 0:
            refused.append(name)
    try:
        seccomp.install()
    except OSError:
        refused.append("seccomp")
    return refused


def allow_cpu(seconds: int) -> None:
    """Let this process use `seconds` of CPU from now; then the kernel ends it with SIGXCPU."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # Rounded up, since the kernel counts whole seconds.
    limit = int(usage.ru_utime + usage.ru_stime) + 1 + seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def _address_space_bytes() -> int:
    # Each document's process comes by here: no objects that only make it easier to read.
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    pages = int(os.read(descriptor, 100).split()[0])
    os.close(descriptor)
    return pages * os.sysconf("SC_PAGE_SIZE")


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, content)
    os.close(descriptor)
