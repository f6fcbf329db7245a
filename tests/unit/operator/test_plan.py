from datetime import timedelta

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_operator.clock import timestamp
from docparser_operator.desired.workload import deployment
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed, observe
from docparser_operator.plan import Plan, make_plan
from docparser_operator.revisions import (
    Observation,
    Outcome,
    Revision,
    controller_revision,
    wanted_revision,
)
from support.builders import ParserBuilder, a_parser
from support.fake_clock import START

OLD = a_parser().with_replicas(3)
NEW = OLD.with_image("example.org/runtime:2")
GOOD = Outcome("Succeeded", "2026-01-01T00:00:00Z")
BAD = Outcome("Failed", "2026-01-01T00:00:00Z", "CrashLoop", "exit code 1")


def revision(parser: ParserBuilder, number: int, outcome: Outcome | None = None) -> Revision:
    made = wanted_revision(parser.built(), {})
    seen = (Observation(number, number, "1"),)
    return Revision(made.hash, made.shape, made.template, seen, outcome)


def stored(*revisions: Revision) -> list[Manifest]:
    return [controller_revision(OLD.built().metadata, revision) for revision in revisions]


def deployed(parser: ParserBuilder, revision: Revision, size: int, available: int) -> Manifest:
    manifest = deployment(parser.built(), revision.hash, revision.template, size)
    metadata = {**manifest["metadata"], "uid": revision.hash, "resourceVersion": "1"}
    counts = {"replicas": size, "readyReplicas": available, "availableReplicas": available}
    return {**manifest, "metadata": metadata, "status": {"observedGeneration": 1, **counts}}


OLD_ONE, NEW_ONE = revision(OLD, 1, GOOD), revision(NEW, 2)


def plan(parser: ParserBuilder, objects: list[Manifest]) -> Plan:
    return make_plan(parser.built(), seen(parser.built(), objects), START)


def seen(parser: DocParserDeployment, objects: list[Manifest]) -> Observed:
    return observe(parser.metadata, objects)


def order(made: Plan) -> list[tuple[str, str]]:
    """Return kind, and size or selected revision, of what is applied, in its order."""
    shown = []
    for manifest in made.apply:
        spec = manifest.get("spec", {})
        selected = spec.get("selector", {}).get(names.LABEL_REVISION, "all")
        what = selected if manifest["kind"] == "Service" else spec.get("replicas", "")
        shown.append((manifest["kind"], str(what)))
    return shown


def serving(parser: ParserBuilder, revision: Revision, **rollout: str) -> ParserBuilder:
    started = {"revision": revision.hash, "startedAt": "2026-01-01T00:00:00Z", **rollout}
    return parser.with_status(currentRevision=revision.hash, rollout=started)


def test_a_first_plan_records_the_revision_before_anything_runs() -> None:
    made = plan(OLD, [])
    assert order(made) == [
        ("ControllerRevision", ""),
        ("ServiceAccount", ""),
        ("PodDisruptionBudget", ""),
        ("Service", OLD_ONE.hash),
        ("Deployment", "3"),
    ]
    assert made.delete == ()


def test_what_grows_does_so_before_the_service_moves_and_what_shrinks_after() -> None:
    promoted = timestamp(START - timedelta(seconds=60))
    parser = serving(NEW, NEW_ONE, promotedAt=promoted)
    objects = [
        *stored(OLD_ONE, NEW_ONE),
        deployed(NEW, OLD_ONE, 3, 3),
        deployed(NEW, NEW_ONE, 3, 3),
    ]
    assert order(plan(parser, objects))[3:] == [
        ("Deployment", "3"),
        ("Service", NEW_ONE.hash),
        ("Deployment", "0"),
        ("ControllerRevision", ""),
    ]


def test_success_is_noted_last_and_failure_first() -> None:
    good = plan(serving(OLD, OLD_ONE), [*stored(revision(OLD, 1)), deployed(OLD, OLD_ONE, 3, 3)])
    assert names.ANNOTATION_OUTCOME not in good.apply[0]["metadata"]["annotations"]
    assert "Succeeded" in good.apply[-1]["metadata"]["annotations"][names.ANNOTATION_OUTCOME]
    parser = serving(NEW, NEW_ONE, progressedAt="2025-01-01T00:00:00Z")
    parser = parser.with_status(currentRevision=OLD_ONE.hash)
    objects = [
        *stored(OLD_ONE, NEW_ONE),
        deployed(NEW, OLD_ONE, 3, 3),
        deployed(NEW, NEW_ONE, 3, 0),
    ]
    bad = plan(parser, objects)
    assert "Failed" in bad.apply[0]["metadata"]["annotations"][names.ANNOTATION_OUTCOME]
    assert [m["kind"] for m in bad.apply].count("ControllerRevision") == 1


def test_the_outcome_of_a_good_revision_is_noted_once() -> None:
    parser = serving(OLD, OLD_ONE)
    unproven = revision(OLD, 1)
    made = plan(parser, [*stored(unproven), deployed(OLD, unproven, 3, 3)])
    assert made.target.outcome == Outcome("Succeeded", timestamp(START))
    again = plan(parser, [*stored(OLD_ONE), deployed(OLD, OLD_ONE, 3, 3)])
    assert again.target.outcome == GOOD


def test_a_revision_that_never_had_an_available_pod_is_not_proven() -> None:
    parser = serving(OLD.with_replicas(0), OLD_ONE)
    unproven = revision(OLD, 1)
    made = plan(parser, [*stored(unproven), deployed(OLD, unproven, 0, 0)])
    assert made.decision.stable == unproven.hash
    assert made.target.outcome is None


def test_the_end_of_a_bad_revision_is_noted_with_its_cause_and_the_annotation() -> None:
    long_ago = timestamp(START - timedelta(hours=1))
    parser = serving(
        NEW.with_annotation(names.ANNOTATION_RETRY, "x"), NEW_ONE, progressedAt=long_ago
    )
    parser = parser.with_status(currentRevision=OLD_ONE.hash)
    refused = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota: q"}
    canary = deployed(NEW, NEW_ONE, 3, 0)
    canary["status"]["conditions"] = [refused]
    made = plan(parser, [*stored(OLD_ONE, NEW_ONE), deployed(NEW, OLD_ONE, 3, 3), canary])
    assert made.target.outcome == Outcome(
        "Failed", timestamp(START), "QuotaExceeded", "exceeded quota: q", "x"
    )
    assert made.decision.stable == OLD_ONE.hash


def stable_of(parser: ParserBuilder, objects: list[Manifest]) -> str | None:
    return plan(parser, objects).stable


def test_the_serving_revision_is_what_the_status_says() -> None:
    objects = [*stored(OLD_ONE, NEW_ONE), deployed(OLD, OLD_ONE, 3, 3)]
    assert stable_of(NEW.with_status(currentRevision=OLD_ONE.hash), objects) == OLD_ONE.hash


def test_a_lost_or_spoilt_status_is_made_up_for_by_what_has_proven_itself() -> None:
    objects = [
        *stored(OLD_ONE, NEW_ONE),
        deployed(OLD, OLD_ONE, 3, 3),
        deployed(OLD, NEW_ONE, 3, 3),
    ]
    assert stable_of(NEW, objects) == OLD_ONE.hash
    assert stable_of(NEW.with_status(currentRevision="nonsense"), objects) == OLD_ONE.hash


def test_a_revision_without_pods_does_not_serve_because_a_status_says_so() -> None:
    third = revision(OLD.with_image("example.org/runtime:3"), 3, GOOD)
    objects = [*stored(OLD_ONE, NEW_ONE, third), deployed(OLD, OLD_ONE, 3, 3)]
    assert stable_of(NEW.with_status(currentRevision=third.hash), objects) == OLD_ONE.hash


def test_a_failed_revision_does_not_serve_because_a_status_says_so() -> None:
    failed = revision(NEW, 2, BAD)
    objects = [
        *stored(OLD_ONE, failed),
        deployed(OLD, OLD_ONE, 3, 3),
        deployed(OLD, failed, 3, 3),
    ]
    assert stable_of(NEW.with_status(currentRevision=failed.hash), objects) == OLD_ONE.hash


def test_the_serving_revision_stays_when_its_deployment_is_deleted() -> None:
    objects = stored(OLD_ONE)
    assert stable_of(NEW.with_status(currentRevision=OLD_ONE.hash), objects) == OLD_ONE.hash


def test_the_serving_revision_stays_when_its_record_is_deleted() -> None:
    objects = [*stored(NEW_ONE), deployed(OLD, OLD_ONE, 3, 3)]
    parser = NEW.with_status(currentRevision=OLD_ONE.hash)
    made = plan(parser, objects)
    assert made.stable == OLD_ONE.hash
    kept = next(m for m in made.apply if m["metadata"]["name"].endswith(OLD_ONE.hash))
    assert kept["spec"]["replicas"] == 3
    assert kept["spec"]["template"] == OLD_ONE.template


def test_nothing_serves_before_the_first_revision_did() -> None:
    objects = [*stored(revision(OLD, 1)), deployed(OLD, OLD_ONE, 3, 0)]
    assert stable_of(OLD, objects) is None


def test_old_revisions_are_forgotten_but_for_the_latest_and_those_in_use() -> None:
    olds = [revision(OLD.with_image(f"example.org/runtime:v{n}"), n, GOOD) for n in range(1, 6)]
    latest = revision(OLD, 6, GOOD)
    parser = serving(
        OLD.with_spec(revisionHistoryLimit=2), latest, promotedAt="2026-01-01T00:00:00Z"
    )
    objects = [
        *stored(*olds, latest),
        deployed(OLD, latest, 3, 3),
        deployed(OLD, olds[0], 1, 1),
    ]
    gone = {ref.name.rpartition("-")[2] for ref in plan(parser, objects).delete}
    assert gone == {olds[1].hash, olds[2].hash}


def test_a_problem_of_the_new_revision_comes_before_one_of_the_old() -> None:
    old, new = deployed(OLD, OLD_ONE, 3, 0), deployed(OLD, NEW_ONE, 3, 0)
    for manifest, words in ((old, "old words"), (new, "new words")):
        refused = {"type": "ReplicaFailure", "status": "True", "message": words}
        manifest["status"]["conditions"] = [refused]
    parser = NEW.with_status(currentRevision=OLD_ONE.hash)
    made = plan(parser, [*stored(OLD_ONE, NEW_ONE), old, new])
    assert made.problem is not None
    assert made.problem.message == "new words"
    new["status"]["conditions"] = []
    made = plan(parser, [*stored(OLD_ONE, NEW_ONE), old, new])
    assert made.problem is not None
    assert made.problem.message == "old words"


def test_a_first_revision_that_serves_in_part_is_not_given_up_for_the_next() -> None:
    objects = [*stored(revision(OLD, 1)), deployed(OLD, OLD_ONE, 3, 1)]
    made = plan(NEW, objects)
    assert made.decision.stable == OLD_ONE.hash
    assert made.decision.serving == OLD_ONE.hash
    assert made.decision.sizes == {OLD_ONE.hash: 3, NEW_ONE.hash: 3}


def test_what_serves_is_written_before_what_may_be_refused() -> None:
    objects = [*stored(OLD_ONE), deployed(OLD, OLD_ONE, 1, 1)]
    assert order(plan(serving(NEW, OLD_ONE), objects))[3:] == [
        ("Deployment", "3"),
        ("Service", OLD_ONE.hash),
        ("Deployment", "3"),
    ]
