"""kubectl as a user runs it, for tests and for the demo. Standard library only."""

import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from localcluster import paths

Manifest = dict[str, Any]


class KubectlError(RuntimeError):
    """kubectl ended with an error; the message holds its words."""


@dataclass(frozen=True)
class Kubectl:
    """Runs kubectl against one cluster.

    Attributes:
        program: path of the binary.
        kubeconfig: path of the access file.
        namespace: namespace of every call.
    """

    program: str
    kubeconfig: Path
    namespace: str = "default"

    def within(self, namespace: str) -> "Kubectl":
        """Return the same for another namespace."""
        return replace(self, namespace=namespace)

    def argv(self, *args: str) -> list[str]:
        """Return the command line, for callers that start the process themselves."""
        return [
            self.program,
            f"--kubeconfig={self.kubeconfig}",
            f"--namespace={self.namespace}",
            *args,
        ]

    def run(self, *args: str, stdin: str | None = None, timeout_seconds: float = 120) -> str:
        """Return what kubectl prints.

        Raises:
            KubectlError: with what it printed as error.
        """
        done = subprocess.run(
            self.argv(*args),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
            env={**os.environ, "KUBECONFIG": str(self.kubeconfig)},
        )
        if done.returncode:
            raise KubectlError(f"kubectl {' '.join(args)}: {done.stderr.strip()}\n{done.stdout}")
        return done.stdout

    def apply(self, manifest: Manifest) -> None:
        """Apply one object as `kubectl apply` does."""
        self.run("apply", "-f", "-", stdin=json.dumps(manifest))

    def get(self, kind: str, name: str) -> Manifest | None:
        """Return an object, or None where it does not exist."""
        found = self.run("get", kind, name, "--ignore-not-found", "-o", "json")
        return json.loads(found) if found.strip() else None

    def list(self, kind: str, selector: str = "") -> list[Manifest]:
        """Return all objects of a kind."""
        listed = json.loads(self.run("get", kind, "-l", selector, "-o", "json"))
        items: list[Manifest] = listed["items"]
        return items


def local_kubectl() -> Kubectl:
    """Return kubectl for the cluster that `make cluster` started."""
    return Kubectl(str(paths.binaries() / "kubectl"), paths.state().kubeconfig)
