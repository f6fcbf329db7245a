"""Silence at rest and speed under load, measured from the audit log."""

import json
import os
from datetime import UTC, datetime

import pytest
from localcluster.controlplane import ControlPlane
from support.audit import Request, requests
from support.eventually import eventually
from support.kubectl import Kubectl
from support.operator_process import OperatorProcess

from .conftest import a_parser, wait_serving

AT_REST_SECONDS = float(os.environ.get("AT_REST_SECONDS", "20"))
AGENT = "docparser-operator"
FIFTY = [f"parser-{number:02}" for number in range(50)]
KINDS = (
    "dpd,controllerrevisions,deployments,services,serviceaccounts,poddisruptionbudgets,pods,events"
)


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.timeout(900)
def test_at_rest_nothing_is_written_but_leases(
    count: int, control_plane: ControlPlane, kubectl: Kubectl, operator: OperatorProcess
) -> None:
    parsers = [a_parser(name, replicas=1 if count == 1 else 0) for name in FIFTY[:count]]
    kubectl.run("create", "-f", "-", stdin=json.dumps(as_list(parsers)))
    if count == 1:
        wait_serving(kubectl, FIFTY[0])
    quiet_since = wait_quiet(control_plane, kubectl)

    before = versions(kubectl)
    eventually(
        lambda: datetime.now(tz=UTC),
        lambda now: (now - quiet_since).total_seconds() > AT_REST_SECONDS,
        AT_REST_SECONDS + 10,
        "the time of observation has passed",
    )
    written = writes(control_plane, kubectl, quiet_since)

    print(f"{count} at rest for {AT_REST_SECONDS:.0f} s: {len(written)} writes but Leases")
    assert not written, "\n".join(map(str, written))
    assert versions(kubectl) == before


def test_fifty_at_once_have_a_child_within_a_second(
    control_plane: ControlPlane, kubectl: Kubectl, operator: OperatorProcess
) -> None:
    parsers = [a_parser(name, replicas=0) for name in FIFTY]
    kubectl.run("create", "-f", "-", stdin=json.dumps(as_list(parsers)))
    eventually(
        lambda: len(kubectl.list("deployments")),
        lambda found: found == len(FIFTY),
        60,
        "all Deployments",
    )
    seen = list(requests(control_plane.audit_log, kubectl.namespace))
    created = {
        r.name: r for r in seen if r.resource == "docparserdeployments" and r.verb == "create"
    }
    first: list[float] = []
    workload: list[float] = []
    for name in FIFTY:
        own = [r for r in seen if is_child_write(r, name)]
        deployments = [r for r in own if r.resource == "deployments"]
        first.append((own[0].completed - created[name].completed).total_seconds())
        workload.append((deployments[0].completed - created[name].completed).total_seconds())
    print(
        f"50 created at once: first child p50 {at(first, 50):.3f} s, p99 {at(first, 99):.3f} s;"
        f" Deployment p50 {at(workload, 50):.3f} s, p99 {at(workload, 99):.3f} s"
    )
    assert at(first, 99) < 1.0


def is_child_write(request: Request, name: str) -> bool:
    """Whether `request` wrote a child of the DocParserDeployment `name`."""
    mine = request.name == name or request.name.startswith(f"{name}-")
    other = request.resource.startswith(("docparserdeployments", "events", "leases"))
    return request.agent == AGENT and request.writes and mine and not other


def writes(control_plane: ControlPlane, kubectl: Kubectl, since: datetime) -> list[Request]:
    """Return all writes by anybody in the namespace, Leases excepted."""
    found = requests(control_plane.audit_log, kubectl.namespace, since)
    return [r for r in found if r.writes and r.resource != "leases"]


def wait_quiet(control_plane: ControlPlane, kubectl: Kubectl, seconds: float = 4) -> datetime:
    """Wait until nothing was written for some seconds; return a time within the silence."""

    def silent_since() -> datetime | None:
        last = [
            r.received for r in writes(control_plane, kubectl, datetime.min.replace(tzinfo=UTC))
        ]
        age = (datetime.now(UTC) - last[-1]).total_seconds() if last else 0.0
        return datetime.now(UTC) if age > seconds else None

    found = eventually(silent_since, bool, 90, "silence after the start")
    assert found is not None
    return found


def versions(kubectl: Kubectl) -> dict[str, str]:
    """Return the resourceVersion of everything in the namespace."""
    return {o["metadata"]["uid"]: o["metadata"]["resourceVersion"] for o in kubectl.list(KINDS)}


def at(values: list[float], percent: int) -> float:
    """Return a percentile by rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def as_list(items: list[dict[str, object]]) -> dict[str, object]:
    """Return a List of `items`."""
    return {"apiVersion": "v1", "kind": "List", "items": items}
