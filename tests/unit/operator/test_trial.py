"""What a new revision is tried out by."""

from dataclasses import replace
from typing import Any

from docparser_api.deployment import DocParserDeployment
from docparser_api.status import RolloutStatus
from docparser_operator.desired.golden_job import golden_name
from docparser_operator.desired.helper_job import GOLDEN
from docparser_operator.jobs import JobState
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod
from docparser_operator.revisions import wanted_revision
from docparser_operator.situation import Decision
from docparser_operator.trial import finished_trials, golden_documents, judgement, subject
from support.builders import a_parser, a_workload
from support.fake_clock import START
from support.memory_senses import GOOD

PARSER = a_parser().with_spec(rollout={"strategy": "Canary", "steps": [{"setWeight": 50}]}).built()
STARTED, NEXT = "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"
TWO_SHARES = (
    a_parser().with_rollout(strategy="Canary", steps=[{"setWeight": 10}, {"setWeight": 50}]).built()
)
WITH_GOLDEN = (
    a_parser().with_rollout(analysis={"goldenDocuments": {"configMapRef": {"name": "g"}}}).built()
)
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


def at(step: int, **changes: Any) -> Decision:
    rollout = STEPPING.rollout.model_copy(update={"step_index": step, **changes})
    return replace(STEPPING, rollout=rollout)


def seen(*pods: Pod, jobs: dict[str, JobState] | None = None, available: int = 1) -> Observed:
    workload = a_workload("new", 1, available=available)
    return Observed(workloads={"new": workload}, pods=pods, jobs=jobs or {})


def windows(steps: list[dict[str, Any]]) -> list[str]:
    """Return how the comparison is named at each of `steps`, without its rollout."""
    parser = a_parser().with_rollout(strategy="Canary", steps=steps).built()
    found = [subject(parser, seen(), at(index)) for index in range(len(steps))]
    return [subject.window.rpartition("/")[2] for subject in found if subject]


def test_nothing_is_measured_unless_a_revision_is_tried_out() -> None:
    assert subject(PARSER, seen(), replace(STEPPING, stepping=False)) is None
    assert subject(PARSER, seen(), replace(STEPPING, stable=None)) is None


def test_a_comparison_begins_anew_with_each_share() -> None:
    wait: dict[str, Any] = {"pause": {}}
    share, pods = {"setWeight": 10}, {"setReplicas": 2}
    assert windows([share, wait, pods, wait, share]) == ["0", "0", "2", "2", "4"]
    assert windows([wait, share, wait]) == ["-1", "1", "1"]


def test_what_a_pod_counted_before_the_comparison_does_not_belong_to_it() -> None:
    def born(created: str | None, decision: Decision) -> bool:
        metadata = {"uid": "u", **({"creationTimestamp": created} if created else {})}
        manifest = {"metadata": metadata, "status": {"podIP": "fd00::1"}}
        pod = Pod("p", "new", deleting=False, ready=True, manifest=manifest)
        found = subject(TWO_SHARES, seen(pod), decision)
        assert found is not None
        assert found.pods[0].address == "[fd00::1]:8080"
        return found.pods[0].born_in_window

    assert born(STARTED, at(0))
    assert not born("2025-12-31T23:59:59Z", at(0))
    assert not born(None, at(0))
    assert not born(STARTED, at(1))


def test_pods_of_other_revisions_and_those_without_an_address_are_not_measured() -> None:
    nameless = Pod("p", "new", deleting=False, ready=True, manifest={"metadata": {"uid": "u"}})
    assert measured(a_pod("third", ready=True), nameless) == set()


def test_queries_are_asked_about_both_revisions() -> None:
    queries = [{"name": "queue", "query": "up{a='{{canary}}',b='{{stable}}'}", "max": 1}]
    rules = {"prometheus": {"address": "http://prometheus:9090", "queries": queries}}
    found = subject(a_parser().with_rollout(analysis=rules).built(), seen(), STEPPING)
    assert found is not None
    assert found.prometheus_address == "http://prometheus:9090"
    assert found.queries == (("queue", "up{a='new',b='old'}"),)


def job_names(observed: Observed, decision: Decision, parser: DocParserDeployment) -> list[str]:
    target = replace(wanted_revision(parser, {}), hash="new")
    made = golden_documents(parser, observed, decision, target)
    return [manifest["metadata"]["name"] for manifest in made]


def a_job(name: str, purpose: str = GOLDEN) -> JobState:
    return JobState(
        name, purpose, "new", ended=True, succeeded=True, message="", pods=(), manifest={}
    )


def test_golden_documents_are_read_once_as_soon_as_a_pod_can() -> None:
    name = golden_name(WITH_GOLDEN, "new", STARTED)
    assert job_names(seen(), STEPPING, WITH_GOLDEN) == [name]
    assert job_names(seen(available=0), STEPPING, WITH_GOLDEN) == []
    assert job_names(Observed(), STEPPING, WITH_GOLDEN) == []
    assert job_names(seen(jobs={name: a_job(name)}), STEPPING, WITH_GOLDEN) == []
    assert job_names(seen(), replace(STEPPING, stepping=False), WITH_GOLDEN) == []
    assert job_names(seen(), STEPPING, PARSER) == []
    assert job_names(seen(jobs={name: a_job(name)}), at(0, started_at=NEXT), WITH_GOLDEN) != []


def test_jobs_of_earlier_rollouts_go_and_those_for_something_else_stay() -> None:
    name = golden_name(WITH_GOLDEN, "new", STARTED)
    jobs = {name: a_job(name), "reader-g-1": a_job("reader-g-1"), "x": a_job("x", "prune")}
    gone = finished_trials(WITH_GOLDEN, seen(jobs=jobs), STEPPING)
    assert [ref.name for ref in gone] == ["reader-g-1"]


def verdict(target: str = "new", **rollout: str) -> str | None:
    """Return what `target` is found to be while `new` is rolled out."""
    running = {"revision": "new", "startedAt": STARTED, **rollout}
    parser = a_parser().with_status(rollout=running).built()
    found = judgement(parser, seen(), GOOD, target, START)
    return found.verdict if found else None


def test_only_a_revision_that_is_rolled_out_is_judged() -> None:
    assert verdict() == "Pass"
    assert verdict("another") is None
    assert verdict(promotedAt=STARTED) is None
    assert judgement(PARSER, seen(), GOOD, "new", START) is None
