"""Where things lie: the cache outside the checkout, and the state of the running cluster."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
TOOLS = PACKAGE / "tools"
# A module of its own: what Helm needs changes no key of the Kubernetes binaries.
HELM_TOOLS = TOOLS / "helm"
REPOSITORY = PACKAGE.parent.parent


def cache() -> Path:
    """The cache folder that all checkouts on this machine share."""
    if own := os.environ.get("DOCPARSER_CACHE"):
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base).absolute() / "docparser"


def binaries_key(tools: Path = TOOLS) -> str:
    """Identifies the versions that a module pins: binaries of equal key are interchangeable."""
    return hashlib.sha256((tools / "go.sum").read_bytes()).hexdigest()[:16]


def binaries() -> Path:
    """The folder of the Kubernetes binaries that this checkout pins."""
    return cache() / "kubernetes" / binaries_key()


def helm_binaries() -> Path:
    """The folder of the Helm that this checkout pins."""
    return cache() / "helm" / binaries_key(HELM_TOOLS)


@dataclass(frozen=True)
class State:
    """The files of one running cluster, all below `root`."""

    root: Path

    @property
    def name(self) -> str:
        """Names the network namespace, the cgroup and the pod network."""
        return self.root.name

    @property
    def binaries_key(self) -> Path:
        """Holds the key of the binaries that the cluster was started from."""
        return self.root / "binaries"

    @property
    def host_record(self) -> Path:
        """Holds what the host looked like before the start."""
        return self.root / "host.json"

    @property
    def pids(self) -> Path:
        """One pid file for each process."""
        return self.root / "pids"

    @property
    def logs(self) -> Path:
        """One log file for each process, and the audit log."""
        return self.root / "logs"

    @property
    def audit_log(self) -> Path:
        """Every request to the API server, one JSON object a line."""
        return self.logs / "audit.log"

    @property
    def pki(self) -> Path:
        """Certificates and keys."""
        return self.root / "pki"

    @property
    def config(self) -> Path:
        """Configuration files and the kubeconfigs of the components."""
        return self.root / "config"

    @property
    def kubeconfig(self) -> Path:
        """Cluster administrator's access from the host."""
        return self.root / "kubeconfig"

    @property
    def containerd_socket(self) -> Path:
        """Where containerd listens."""
        return self.root / "containerd" / "containerd.sock"

    @property
    def sandboxes(self) -> Path:
        """Containerd's record of what runs, one folder for each sandbox and container."""
        return self.root / "containerd" / "state" / "io.containerd.runtime.v2.task" / "k8s.io"


def state() -> State:
    """The state folder: fixed for root, the user's own where the cluster needs no root (kind)."""
    if own := os.environ.get("DOCPARSER_CLUSTER_STATE"):
        return State(Path(own).absolute())
    if os.geteuid() == 0:
        return State(Path("/var/lib/docparser-cluster"))
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return State(Path(base).absolute() / "docparser-cluster")
