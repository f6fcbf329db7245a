"""`kubectl docparser` as a user runs it: a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from support.kubectl import Kubectl

PROGRAMS = Path(sys.executable).parent


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def docparser(
    kubectl: Kubectl, *args: str, stdin: str | None = None, timeout_seconds: float = 60
) -> Ended:
    """Run `kubectl docparser ARGS` in the namespace of `kubectl`."""
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [kubectl.program, "docparser", *args, "-n", kubectl.namespace],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout_seconds,
        check=False,
        env={**os.environ, "KUBECONFIG": str(kubectl.kubeconfig), "PATH": path},
    )
    return Ended(done.returncode, done.stdout, done.stderr)
