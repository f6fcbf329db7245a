from docparser_api.status import RolloutStatus
from docparser_operator.observed import Observed, Pod
from docparser_operator.situation import Decision
from docparser_operator.trial import subject
from support.builders import a_parser

PARSER = a_parser().with_spec(rollout={"strategy": "Canary", "steps": [{"setWeight": 50}]}).built()
STARTED = "2026-01-01T00:00:00Z"
STEPPING = Decision(
    stable="old",
    serving="old",
    sizes={"old": 1, "new": 1},
    delete=(),
    rollout=RolloutStatus(revision="new", started_at=STARTED),
    stepping=True,
)


def a_pod(revision: str, *, ready: bool) -> Pod:
    manifest = {"metadata": {"uid": revision}, "status": {"podIP": "10.0.0.1"}}
    return Pod(revision, revision, deleting=False, ready=ready, manifest=manifest)


def measured(*pods: Pod) -> set[str]:
    found = subject(PARSER, Observed(workloads={}, pods=pods), STEPPING)
    assert found is not None
    return {pod.side for pod in found.pods}


def test_both_sides_are_measured_over_the_same_time() -> None:
    old = a_pod("old", ready=True)
    assert measured(old, a_pod("new", ready=False)) == set()
    assert measured(old, a_pod("new", ready=True)) == {"canary", "stable"}
    assert measured(a_pod("old", ready=False), a_pod("new", ready=True)) == {"canary"}
