"""One writer, whatever happens to it."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from localcluster.controlplane import ControlPlane
from support.audit import Request, requests
from support.eventually import eventually
from support.kubectl import Kubectl
from support.leader_churn import LeaderChurn
from support.operator_process import LEASE, OperatorProcess

from .conftest import a_parser, make_pods_ready, serving_pods, wait_serving

TAKEOVER_SECONDS = 15


@pytest.fixture
def pair(kubectl: Kubectl, tmp_path: Path) -> Iterator[tuple[OperatorProcess, OperatorProcess]]:
    """Two operators; the first one leads."""
    processes: list[OperatorProcess] = []
    try:
        for name in ("first", "second"):
            processes.append(
                OperatorProcess(kubectl, tmp_path / f"{name}.log").start().wait_ready()
            )
            eventually(lambda: holder(kubectl), bool, 20, "somebody leads")
        yield processes[0], processes[1]
    finally:
        for process in processes:
            process.kill()
            print(process.log.read_text()[-3000:])


def test_a_killed_leader_is_followed_within_seconds(
    pair: tuple[OperatorProcess, OperatorProcess], kubectl: Kubectl
) -> None:
    leader, _ = pair
    before = holder(kubectl)
    leader.kill()
    killed = time.monotonic()
    eventually(lambda: holder(kubectl), lambda now: now != before, TAKEOVER_SECONDS, "a new leader")
    print(f"takeover after SIGKILL: {time.monotonic() - killed:.1f} s")
    kubectl.apply(a_parser("reader"))
    wait_serving(kubectl, "reader")


def test_a_leader_that_leaves_gives_the_lease_back(
    pair: tuple[OperatorProcess, OperatorProcess], kubectl: Kubectl
) -> None:
    leader, _ = pair
    before = holder(kubectl)
    assert leader.stop() == 0
    stopped = time.monotonic()
    eventually(lambda: holder(kubectl), lambda now: now not in {before, ""}, 5, "a new leader")
    print(f"takeover after SIGTERM: {time.monotonic() - stopped:.1f} s")


def test_a_frozen_leader_writes_nothing_when_it_wakes_up(
    pair: tuple[OperatorProcess, OperatorProcess], control_plane: ControlPlane, kubectl: Kubectl
) -> None:
    leader, _ = pair
    before = holder(kubectl)
    kubectl.apply(a_parser("reader"))
    wait_serving(kubectl, "reader")
    leader.send(signal.SIGSTOP)
    eventually(lambda: holder(kubectl), lambda now: now != before, TAKEOVER_SECONDS, "a new leader")
    kubectl.apply(a_parser("reader", replicas=2))
    wait_serving(kubectl, "reader")
    settled = last_request(control_plane, kubectl).received

    leader.send(signal.SIGCONT)
    eventually(lambda: "no longer leading" in leader.log.read_text(), bool, 15, "it notices")
    late = [r for r in requests(control_plane.audit_log, kubectl.namespace, settled) if r.writes]
    assert [r for r in late if r.resource != "leases" and r.received > settled] == []


@pytest.mark.timeout(240)
def test_leaders_killed_and_paused_under_churn_write_only_in_turn(
    control_plane: ControlPlane, kubectl: Kubectl, tmp_path: Path
) -> None:
    found = LeaderChurn(control_plane, kubectl, tmp_path).run(rounds=2)
    print(f"takeovers {found.takeover_seconds}, {found.edits} edits, {found.writes} writes")
    print(f"in hand when paused: {len(found.in_hand)}")
    assert found.out_of_turn == [], "\n".join(map(str, found.out_of_turn))
    assert max(found.takeover_seconds) <= TAKEOVER_SECONDS
    assert found.changes >= 2
    assert found.writes > found.edits > 0


@pytest.mark.parametrize("milliseconds", [0, 60, 150, 300, 600, 1200])
def test_a_rollout_survives_a_killed_operator(
    milliseconds: int, kubectl: Kubectl, operator: OperatorProcess, tmp_path: Path
) -> None:
    kubectl.apply(a_parser("reader", replicas=2))
    stable = wait_serving(kubectl, "reader")["status"]["currentRevision"]
    pods = {p["metadata"]["uid"] for p in serving_pods(kubectl)}

    kubectl.apply(a_parser("reader", replicas=2, image="example.org/runtime:2"))
    time.sleep(milliseconds / 1000)  # the moment of the kill is the parameter of this test
    operator.kill()
    assert pods <= {p["metadata"]["uid"] for p in serving_pods(kubectl)}, "stable pods were lost"
    successor = OperatorProcess(kubectl, tmp_path / "successor.log").start()
    try:
        make_pods_ready(kubectl)
        after = wait_serving(kubectl, "reader", 60)
    finally:
        successor.kill()
    assert after["status"]["currentRevision"] != stable
    assert after["status"]["currentRevisionNumber"] == 2
    assert len(kubectl.list("deployments")) == 1


def holder(kubectl: Kubectl) -> str:
    """Who holds the Lease; empty for nobody."""
    lease = kubectl.get("lease", LEASE)
    return str((lease or {}).get("spec", {}).get("holderIdentity") or "")


def last_request(control_plane: ControlPlane, kubectl: Kubectl) -> Request:
    """The latest request that the audit log knows."""
    found = requests(control_plane.audit_log, kubectl.namespace)
    return max((r for r in found if r.writes), key=lambda r: r.received)
