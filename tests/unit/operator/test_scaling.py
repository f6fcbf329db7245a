"""An autoscaler at work, in a cluster in memory."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from docparser_api import names
from docparser_operator.autoscaling.subject import Load
from docparser_operator.autoscaling.values import Demand
from docparser_operator.kinds import EVENT, POD, Manifest
from docparser_operator.observed import Observed
from docparser_operator.scaling import scaled
from docparser_operator.surroundings import Surroundings
from support.builders import ParserBuilder
from support.world import World
from unit.operator.reconcile_case import KEY, LONG, PARSER, REF

RULES = {"minReplicas": 1, "maxReplicas": 5, "scaleDown": {"stabilizationSeconds": 60}}
SCALED = PARSER.with_spec(autoscaling=RULES)
NEXT = SCALED.with_image("example.org/runtime:2")
IMAGE = SCALED.body()["spec"]["image"]


def settled(parser: ParserBuilder = SCALED) -> World:
    world = World()
    world.apply(parser)
    world.settle(LONG)
    return world


def tell(world: World, queued: float, arriving: float = 0.0, seconds: float = 0.0) -> None:
    """Measure a load, wake the operator as the meter would, and let time pass."""
    demand = Demand(queued, 1, 0, arriving, world.clock())
    world.senses.load = Load(demand, pages_per_second=1.0)
    world.queue[KEY] = None
    world.settle(seconds)


def tell_idle(world: World) -> None:
    """Measure that there is nothing to do."""
    world.senses.load = Load(Demand(0, 0, 0, 0, world.clock()), pages_per_second=1.0)
    world.queue[KEY] = None
    world.settle()


def is_helper(pod: Manifest) -> bool:
    return names.LABEL_PURPOSE in pod["metadata"]["labels"]


def asked(world: World) -> int:
    found: int = world.parser()["status"]["autoscaling"]["desiredReplicas"]
    return found


def test_spec_is_where_it_begins_within_the_bounds() -> None:
    assert settled().sizes() == {IMAGE: 2}
    assert settled(SCALED.with_replicas(9)).sizes() == {IMAGE: 5}
    assert settled(SCALED.with_replicas(0)).sizes() == {IMAGE: 1}


def test_without_a_measurement_pods_stay_and_a_condition_says_so() -> None:
    world = settled()
    found = world.condition("ScalingActive")
    assert (found["status"], found["reason"]) == ("False", "MetricsMissing")
    assert asked(world) == 2


def test_pods_follow_the_demand_and_spec_stays_as_it_is() -> None:
    world = settled()
    tell(world, queued=1000)
    assert world.sizes() == {IMAGE: 5}
    assert world.parser()["spec"]["replicas"] == 2
    assert world.condition("Ready")["status"] == "True"
    active = world.condition("ScalingActive")
    assert (active["status"], active["reason"]) == ("True", "AtMaximum")
    inputs = world.parser()["status"]["autoscaling"]["inputs"]
    assert (inputs["queuedPages"], inputs["pagesPerMinute"], inputs["ready"]) == (1000, 60, 2)
    tell(world, queued=0)
    assert world.sizes() == {IMAGE: 5}
    world.clock.advance(61)
    tell(world, queued=0)
    assert world.sizes() == {IMAGE: 1}
    assert world.parser()["spec"]["replicas"] == 2


def test_every_change_is_an_event() -> None:
    world = settled()
    tell(world, queued=1000)
    found = [e for e in world.cluster.of_kind(EVENT) if e["reason"].startswith("Scaled")]
    assert [(e["reason"], e["message"].partition(":")[0]) for e in found] == [
        ("ScaledAtMaximum", "from 2 to 5 pods")
    ]


def test_numbers_alone_are_not_written() -> None:
    world = settled()
    tell(world, queued=0, arriving=1.5)
    written = len(world.cluster.writes)
    for share in range(20):
        world.clock.advance(5)
        tell(world, queued=share / 10, arriving=1.5 + share / 200)
    assert world.cluster.writes[written:] == []


def test_another_operator_goes_on_from_the_status() -> None:
    world = settled()
    tell(world, queued=1000)
    world.senses.load = Load()
    world.start_operator()
    world.settle(LONG)
    assert world.sizes() == {IMAGE: 5}
    assert world.condition("ScalingActive")["reason"] == "AtMaximum"
    world.senses.load = Load(begun=world.clock())
    world.clock.advance(61)
    world.queue[KEY] = None
    world.settle()
    assert world.sizes() == {IMAGE: 5}
    assert world.condition("ScalingActive")["reason"] == "MetricsMissing"


def test_without_rules_spec_counts_again() -> None:
    world = settled()
    tell(world, queued=1000)
    world.apply(PARSER)
    world.cluster.edit(REF, {"spec": {"autoscaling": None}})
    world.settle(LONG)
    assert world.sizes() == {IMAGE: 2}
    status = world.parser()["status"]
    assert "autoscaling" not in status
    assert "ScalingActive" not in {c["type"] for c in status["conditions"]}


def test_a_rollout_keeps_the_pods_and_takes_more_when_they_are_needed() -> None:
    stepped = {"strategy": "Canary", "steps": [{"setWeight": 20}, {"pause": {}}]}
    world = settled(SCALED.with_replicas(4).with_spec(rollout=stepped))
    world.senses.load = Load()
    world.apply(SCALED.with_replicas(4).with_spec(rollout=stepped).with_image("example.org/r:2"))
    world.settle(600)
    assert world.sizes() == {IMAGE: 4, "example.org/r:2": 1}
    world.clock.advance(100)
    tell(world, queued=0)
    world.clock.advance(100)
    tell(world, queued=0)
    assert world.sizes()[IMAGE] == 4
    tell(world, queued=1000)
    assert world.sizes()[IMAGE] == 5
    world.cluster.edit(REF, {"metadata": {"annotations": {names.ANNOTATION_PAUSE: "true"}}})
    world.settle(10)
    assert world.condition("ScalingActive")["reason"] == "Paused"


def test_a_schedule_that_cannot_be_read_is_told_and_pods_stay() -> None:
    bad = {"name": "day", "start": "99 8 * * *", "durationSeconds": 60}
    world = settled(SCALED.with_spec(autoscaling={**RULES, "schedules": [bad]}))
    found = world.condition("ScalingActive")
    assert (found["status"], found["reason"]) == ("False", "ScheduleInvalid")
    assert "schedule day" in found["message"]
    assert world.sizes() == {IMAGE: 2}


@pytest.mark.parametrize(("gpus", "pods"), [(3, 3), (10, 5)])
def test_no_more_pods_are_asked_for_than_find_gpus(gpus: int, pods: int) -> None:
    world = World(nodes=None)
    world.senses.gpus = gpus
    world.apply(SCALED.with_spec(resources={"gpu": {"count": 1}}))
    world.settle(LONG)
    tell(world, queued=1000)
    assert sum(world.sizes().values()) == pods
    reason = world.condition("ScalingActive")["reason"]
    assert reason == ("ClusterFull" if gpus == 3 else "AtMaximum")


QUEUE = {
    "databaseUrlSecretRef": {"name": "database", "key": "url"},
    "objectStore": {"url": "s3://documents/reader"},
}
SLEEPY = PARSER.with_spec(
    topology="Queue",
    queue=QUEUE,
    autoscaling={**RULES, "minReplicas": 0, "idleSeconds": 100},
)


def workers(world: World) -> int:
    pods = world.cluster.of_kind(POD)
    return sum(names.LABEL_REVISION in p["metadata"]["labels"] and not is_helper(p) for p in pods)


def test_behind_a_queue_the_last_worker_goes_and_comes_back_for_the_next_document() -> None:
    world = settled(SLEEPY)
    assert workers(world) == 2
    begun = world.clock.monotonic()
    while workers(world):
        world.clock.advance(10)
        tell_idle(world)
    assert 100 <= world.clock.monotonic() - begun <= 120
    assert world.condition("Ready")["reason"] == "ScaledToZero"
    assert len(world.senses.gauged[KEY].pods) == 2  # gateways, which see what arrives
    assert world.senses.gauged[KEY].is_shared
    tell(world, queued=5)
    world.settle(LONG)
    assert workers(world) == 1
    assert world.condition("Ready")["status"] == "True"


@pytest.mark.parametrize(("least", "promised"), [(0, 95), (1, None)])
def test_where_no_pod_may_run_it_is_promised_how_soon_one_reads(
    least: int, promised: int | None
) -> None:
    known = {"revision": "one", "seconds": 85, "samples": 3, "latest": "2026-01-01T12:00:00Z"}
    decided = {"desiredReplicas": 1, "reason": "Steady", "decidedAt": "2026-01-01T12:00:00Z"}
    parser = SLEEPY.with_spec(autoscaling={**RULES, "minReplicas": least}).with_status(
        currentRevision="one", autoscaling={**decided, "leadTimes": [known]}
    )
    found = scaled(parser.built(), Observed(), Surroundings(), datetime(2026, 1, 2, tzinfo=UTC))
    status = found.parser.status.autoscaling
    assert status is not None
    assert (status.lead_time_seconds, status.wake_up_seconds) == (85, promised)


def test_what_is_measured_is_told_to_the_meter_and_its_end_too() -> None:
    world = settled()
    subject = world.senses.gauged[KEY]
    assert len(subject.pods) == 2
    assert subject.supply.ready == 2
    assert replace(subject.state, wished=None).replicas == 2
    world.apply(PARSER)
    world.cluster.edit(REF, {"spec": {"autoscaling": None}})
    world.settle(LONG)
    assert KEY not in world.senses.gauged
