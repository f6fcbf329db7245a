"""The real operator as a process of its own, as the tests start, freeze and kill it."""

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from support.eventually import eventually
from support.kubectl import Kubectl

LEASE = "docparser-operator"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class OperatorProcess:
    """One operator that serves one namespace and keeps its Lease there.

    Attributes:
        kubectl: the cluster and namespace.
        log: where its output goes.
        served: the namespace that it serves, where that is not the one of its Lease.
    """

    kubectl: Kubectl
    log: Path
    served: str | None = None
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> "OperatorProcess":
        """Start it; return at once."""
        settings = {
            "NAMESPACE": self.kubectl.namespace,
            "WATCH_NAMESPACES": self.served or self.kubectl.namespace,
            "LEASE": LEASE,
            "PORT": str(self.port),
        }
        environment = {
            **os.environ,
            "KUBECONFIG": str(self.kubectl.kubeconfig),
            **{f"DOCPARSER_OPERATOR_{name}": value for name, value in settings.items()},
        }
        with self.log.open("ab") as sink:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "docparser_operator"],
                env=environment,
                stdout=sink,
                stderr=sink,
            )
        return self

    def wait_ready(self) -> "OperatorProcess":
        """Wait until it has listed the cluster."""
        eventually(self.is_ready, bool, 30, f"operator ready; log:\n{self.log.read_text()[-2000:]}")
        return self

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it without a chance to clean up."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> int:
        """End it in order; return its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(30)

    def metric(self, name: str, but: str = "\n") -> float:
        """Return the sum of a metric, series that contain `but` left out."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        mine = [line for line in lines if line.split("{")[0].split(" ")[0] == name]
        return sum(float(line.rpartition(" ")[2]) for line in mine if but not in line)

    def is_ready(self) -> bool:
        """Return whether it says that it is ready."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False
