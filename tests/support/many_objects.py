"""A control plane with one operator and many objects, and what its audit log says of them."""

import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from localcluster import paths
from localcluster.controlplane import ControlPlane
from support.audit import Request, requests
from support.eventually import eventually
from support.kubectl import Kubectl
from support.operator_process import OperatorProcess
from support.process_trees import cpu_seconds

CRD = Path(__file__).parents[2] / "crds/docparserdeployments.yaml"
NAMESPACE = "scale"
AGENT = "docparser-operator"
CHILDREN = (
    "controllerrevisions",
    "deployments",
    "poddisruptionbudgets",
    "serviceaccounts",
    "services",
)
"""What each object has one of."""
QUIET_SECONDS = 5.0


@dataclass
class Bench:
    """A control plane, an operator, and what was found."""

    plane: ControlPlane
    kubectl: Kubectl
    operator: OperatorProcess
    count: int
    found: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [f"parser-{number:04}" for number in range(self.count)]

    def log(self, since: datetime | None = None) -> Iterator[Request]:
        return requests(self.plane.audit_log, NAMESPACE, since)

    def writes(self, since: datetime | None = None) -> list[Request]:
        """Return what the operator wrote, its Lease left out."""
        return [
            r for r in self.log(since) if r.agent == AGENT and r.writes and r.resource != "leases"
        ]

    def quiet(self, most_seconds: float) -> None:
        """Return once the operator has written nothing for a while."""
        known, since = -1.0, time.monotonic()

        def silence() -> float:
            nonlocal known, since
            time.sleep(1)  # who asks all the time is what the operator is busy with
            written = self.operator.metric("docparser_operator_api_writes_total", but="Lease")
            if written != known:
                known, since = written, time.monotonic()
            return time.monotonic() - since

        eventually(silence, lambda now: now > QUIET_SECONDS, most_seconds, "the operator is silent")

    def memory(self, name: str) -> float:
        """Return a field of the operator's memory, in MiB."""
        assert self.operator.process is not None
        status = Path(f"/proc/{self.operator.process.pid}/status").read_text()
        return round(int(status.partition(f"{name}:")[2].split()[0]) / 1024, 1)

    def cpu_seconds(self) -> float:
        """Return the CPU time of the operator so far."""
        assert self.operator.process is not None
        return cpu_seconds(self.operator.process.pid)


def first_writes(log: list[Request]) -> Iterable[datetime]:
    """Return when each child was made."""
    first: dict[tuple[str, str], datetime] = {}
    for request in filter(is_child, log):
        first.setdefault((request.resource, request.name), request.completed)
    return first.values()


def is_child(request: Request) -> bool:
    """Whether a request of the operator wrote a child."""
    good = request.agent == AGENT and request.writes and request.code < 300
    return good and request.resource in CHILDREN


@contextmanager
def benches(count: int) -> Iterator[Bench]:
    """Yield a bench with an operator that is ready."""
    with (
        tempfile.TemporaryDirectory(prefix="scale-") as folder,
        ControlPlane(Path(folder) / "plane", controllers=True) as plane,
    ):
        cluster = Kubectl(str(paths.binaries() / "kubectl"), plane.kubeconfig)
        cluster.run("apply", "--server-side", "-f", str(CRD))
        cluster.run("create", "namespace", NAMESPACE)
        cluster.run("wait", "crd/docparserdeployments.docparser.dev", "--for=condition=Established")
        kubectl = cluster.within(NAMESPACE)
        operator = OperatorProcess(kubectl, Path(folder) / "operator.log").start()
        try:
            yield Bench(plane, kubectl, operator.wait_ready(), count)
        finally:
            operator.kill()
