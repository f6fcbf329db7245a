"""Long-running processes: one pid file and one log each, stopped by pid and never by name."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from localcluster.console import Failure, tail

# Nothing of the caller's environment (proxies, language, tokens) reaches the cluster.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Identity:
    """A process told from any later one of the same pid, on this boot or another."""

    pid: int
    start_ticks: int
    boot: str

    @classmethod
    def of(cls, pid: int) -> "Identity | None":
        """Identify a living process; None when it has ended (a zombie has)."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        # The command name in parentheses may hold anything; fields are counted after it.
        fields = stat.rpartition(")")[2].split()
        if fields[0] in "ZX":
            return None
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return cls(pid, int(fields[19]), boot)

    def alive(self) -> bool:
        """Whether this very process still runs."""
        return Identity.of(self.pid) == self

    def send(self, number: signal.Signals) -> None:
        """Signal this very process; a later one of its pid is never hit."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            # Compared after the handle is open: from here the pid cannot change hands.
            if self.alive():
                signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            pass
        finally:
            os.close(handle)


@dataclass(frozen=True)
class Service:
    """A named process with its pid file and log."""

    name: str
    pids: Path
    logs: Path

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return self.logs / f"{self.name}.log"

    @property
    def pid_file(self) -> Path:
        """Where its identity is kept."""
        return self.pids / f"{self.name}.pid"

    def identity(self) -> Identity | None:
        """The process that the pid file names, when it is alive and still that one."""
        try:
            recorded = Identity(**json.loads(self.pid_file.read_text()))
        except (OSError, ValueError, TypeError):
            return None  # absent, or half-written by a killed start
        return recorded if recorded.alive() else None

    def start(
        self, argv: Sequence[str | Path], env: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        """Start it, detached from this terminal, unless it is running."""
        self.pids.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(parents=True, exist_ok=True)
        command = [str(word) for word in argv]
        if not shutil.which(command[0]):
            raise Failure(f"{command[0]} is not installed")
        with self.log.open("ab") as sink:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
                cwd="/",
                env={"PATH": PATH, "HOME": "/root", **(env or {})},
            )
        if not (identity := Identity.of(child.pid)):
            raise Failure(f"{self.name} ended at once\n{tail(self.log)}")
        self.pid_file.write_text(json.dumps(asdict(identity)))
        return child

    def require_alive(self) -> None:
        """Fail with the end of its log when the process is gone."""
        if not self.identity():
            raise Failure(f"{self.name} is not running\n{tail(self.log)}")


def stop(identities: Iterable[Identity], grace_seconds: float = 3) -> None:
    """Ask all to end, wait, then end those that have not; returns when all are gone."""
    targets = list(identities)
    for number, wait_seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 10.0)):
        for target in targets:
            target.send(number)
        ends_at = time.monotonic() + wait_seconds
        while targets and time.monotonic() < ends_at:
            targets = [target for target in targets if target.alive()]
            time.sleep(0.02)
    if targets:
        pids = ", ".join(str(target.pid) for target in targets)
        raise Failure(f"processes {pids} do not end even when killed; restart the machine")
