"""How the operator bears many objects, on a real control plane without nodes.

    PYTHONPATH=tests .venv/bin/python tests/benchmarks/scale.py --count 1000 --rest-seconds 600

The figures come from the API server's audit log and from /proc. The objects ask for no pods, since
nothing could run them. Ends with an error where a goal is missed.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
EDITS, EDITS_PER_SECOND = 100, 4.0
QUIET_SECONDS = 5.0
MEBIBYTE = 1024**2
GOALS = {
    "children_seconds": 30.0,
    "edit_p99_seconds": 2.0,
    "writes_at_rest": 0,
    "resident_mebibytes": 300.0,
    "restart_seconds": 60.0,
    "changed_templates": 0,
}
"""The most that is right."""


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


def created(bench: Bench) -> None:
    """Create all objects; find out when the last child of each was there."""
    items = [a_parser(name) for name in bench.names]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    bench.kubectl.run("create", "-f", "-", stdin=text, timeout_seconds=600)
    bench.quiet(600)
    log = list(bench.log())
    children = {(r.resource, r.name) for r in log if is_child(r)}
    assert len(children) == len(CHILDREN) * bench.count, Counter(kind for kind, _ in children)
    of_objects = [r for r in log if r.resource == "docparserdeployments" and r.verb == "create"]
    last_create = max(r.completed for r in of_objects)
    last_child = max(first_writes(log))
    bench.found |= {
        "create_seconds": seconds(of_objects[0].completed, last_create),
        "children_seconds": seconds(last_create, last_child),
    }
    bench.found |= {
        "cpu_seconds_per_object": round(bench.cpu_seconds() / bench.count, 4),
        "writes_per_object": round(len(bench.writes()) / bench.count, 2),
        "resident_mebibytes": bench.memory("VmHWM"),
    }


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


def edited(bench: Bench) -> None:
    """Edit some objects, one after the other, and find out when something was first written."""
    chosen = random.Random(1).sample(bench.names, min(EDITS, bench.count))  # noqa: S311 (no secret)
    since = datetime.now(UTC)
    for number, name in enumerate(chosen):
        due = since.timestamp() + number / EDITS_PER_SECOND
        time.sleep(max(0.0, due - time.time()))
        bench.kubectl.run("patch", "dpd", name, "--type=merge", "-p", EDIT)
    bench.quiet(120)
    log = list(bench.log(since))
    took = []
    for name in chosen:
        mine = [r for r in log if r.name == name or r.name.startswith(f"{name}-")]
        edit = next(r for r in mine if r.agent != AGENT and r.resource == "docparserdeployments")
        answer = next(r for r in mine if r.agent == AGENT and r.writes)
        took.append(seconds(edit.completed, answer.completed))
    took.sort()
    bench.found |= {
        "edit_p50_seconds": took[len(took) // 2],
        "edit_p99_seconds": took[-1 - len(took) // 100],
    }


EDIT = json.dumps({"spec": {"runtime": {"maxPages": 7}}})


def rested(bench: Bench, rest_seconds: float) -> None:
    """Leave all alone, and find out what is written and asked."""
    bench.quiet(300)
    since, cpu = datetime.now(UTC), bench.cpu_seconds()
    time.sleep(rest_seconds)
    calls = [r for r in bench.log(since) if r.agent == AGENT]
    written = bench.writes(since)
    for request in written[:10]:
        print("written at rest:", request)
    bench.found |= {
        "rest_seconds": rest_seconds,
        "writes_at_rest": len(written),
        "calls_per_minute_at_rest": round(60 * len(calls) / rest_seconds, 1),
        "cpu_percent_at_rest": round(100 * (bench.cpu_seconds() - cpu) / rest_seconds, 2),
        "resident_mebibytes_at_rest": bench.memory("VmRSS"),
    }


def restarted(bench: Bench) -> None:
    """Kill the operator and start another; find out when it has been through all objects."""
    before = templates(bench)
    bench.operator.kill()
    since = datetime.now(UTC)
    bench.operator.start().wait_ready()
    lasted = eventually(
        lambda: reconciled(bench), lambda n: n >= bench.count, 300, "all were looked at again"
    )
    took = seconds(since, datetime.now(UTC))
    bench.quiet(120)
    bench.found |= {
        "restart_seconds": took,
        "reconciles_at_restart": lasted,
        "writes_at_restart": len(bench.writes(since)),
        "changed_templates": sum(before[name] != now for name, now in templates(bench).items()),
    }


def reconciled(bench: Bench) -> int:
    """Return how often the operator has looked at an object since it began."""
    return int(bench.operator.metric("docparser_operator_reconcile_duration_seconds_count"))


def templates(bench: Bench) -> dict[str, str]:
    """Return the generation of each Deployment."""
    found = bench.kubectl.list("deployments")
    return {d["metadata"]["name"]: d["metadata"]["generation"] for d in found}


def a_parser(name: str) -> dict[str, Any]:
    """Return an object."""
    return {
        "apiVersion": "docparser.dev/v1alpha1",
        "kind": "DocParserDeployment",
        "metadata": {"name": name},
        "spec": {"image": "example.org/runtime:1", "model": {"engine": "fake"}, "replicas": 0},
    }


def seconds(begin: datetime, end: datetime) -> float:
    """Return the time from one to the other, in seconds."""
    return round((end - begin).total_seconds(), 3)


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


def main() -> None:
    """Print the figures, and write them where `--out` says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rest-seconds", type=float, default=600)
    parser.add_argument("--out", type=Path, help="file for the figures, as JSON")
    options = parser.parse_args()
    with benches(options.count) as bench:
        for part in (created, edited, lambda b: rested(b, options.rest_seconds), restarted):
            part(bench)
            print(json.dumps(bench.found), file=sys.stderr, flush=True)
    found = {"date": datetime.now(UTC).date().isoformat(), "objects": options.count, **bench.found}
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")
    wrong = table(found)
    sys.exit(wrong)


def table(found: dict[str, Any]) -> bool:
    """Print the figures beside their goals; return whether one is missed."""
    for name, value in found.items():
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"at most {goal:g}"
        print(f"{name:28} {value!s:>12}  {verdict}")
    return any(found[name] > goal for name, goal in GOALS.items())


if __name__ == "__main__":
    main()
