"""An engine's process as the service holds it: started, spoken to, and always ended."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from docparser_runtime.engine.apart import messages
from docparser_runtime.engine.apart.connection import Connection

# -P: the current directory does not decide what is imported.
COMMAND: Final = (sys.executable, "-P", "-m", "docparser_runtime.engine.apart.child")
_PASSED_ON: Final = frozenset({"HOME", "LANG", "PATH", "TMPDIR", "TZ", "USER"})
_PASSED_ON_FAMILIES: Final = (
    *("CUBLAS", "CUDA", "CUDNN", "LC_", "LD_", "NCCL_", "NVIDIA_", "OMP_"),
    *("PYTHON", "PYTORCH_", "TORCH", "TRITON_", "VIRTUAL_ENV", "XDG_"),
)

Talk = Connection[messages.ToEngine, messages.FromEngine]


class Process:
    """A process that has been started, and the connection to it.

    It ends when this process does, however that comes. To be started by a thread that lives on:
    the kernel kills the process when that thread ends.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start it, which blocks for a few milliseconds.

        Raises:
            OSError: it cannot be started.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                # A group of its own, so that a person's Ctrl-C lets it finish its pages.
                self._process = subprocess.Popen(  # noqa: S603 (every part of it is our own)
                    COMMAND,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env=passed_on(environ),
                    start_new_session=True,
                )
        except OSError:
            ours.close()
            raise
        self.talk: Talk = Connection(ours, messages.TO_ENGINE, messages.FROM_ENGINE)

    @property
    def id(self) -> int:
        """Number of the process."""
        return self._process.pid

    def end(self) -> str:
        """Kill it if it still runs, and return how it ended."""
        # Who has hung up, as a process does that dies, is on its way out by itself.
        self.talk.close()
        try:
            code = self._process.wait(_LAST_WORDS_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            return "it was killed"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


_LAST_WORDS_SECONDS: Final = 0.5
"""Time to die, for a process that does so by itself: its exit code tells more than our signal."""


def passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what an engine needs of the environment. Tokens and addresses are not among it."""
    return {
        name: value
        for name, value in environ.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_FAMILIES)
    }
