"""The number of pods is left to a HorizontalPodAutoscaler or KEDA, and taken back."""

import pytest
from docparser_operator.delegation import superfluous_scalers, wanted_scaler
from docparser_operator.kinds import DISRUPTION_BUDGET, SCALED_OBJECT, SCALER, Kind, Ref
from docparser_operator.observed import Observed
from docparser_operator.surroundings import Surroundings
from support.builders import ParserBuilder
from support.world import World
from unit.operator.delegation_case import (
    BUILT_IN,
    HPA,
    IMAGE,
    KEDA,
    NAME,
    found,
    say,
    settled,
    there,
    under,
)
from unit.operator.reconcile_case import LONG, REF


@pytest.mark.parametrize("parser", [HPA, KEDA, under("None")], ids=["HPA", "KEDA", "None"])
def test_pods_are_those_of_spec_which_somebody_else_writes(parser: ParserBuilder) -> None:
    world = settled(parser)
    world.cluster.edit(REF, {"spec": {"replicas": 5}})
    world.settle(LONG)
    assert world.sizes() == {IMAGE: 5}
    assert "autoscaling" not in world.parser()["status"]


def test_without_a_mode_nothing_is_left_of_it() -> None:
    world = settled(HPA)
    world.apply(under("None"))
    world.settle(LONG)
    assert there(world) == set()
    assert all(c["type"] != "ScalingActive" for c in world.parser()["status"]["conditions"])


@pytest.mark.parametrize("before", ["HPA", "KEDA", "Builtin", "None"])
@pytest.mark.parametrize("after", ["HPA", "KEDA", "Builtin", "None"])
def test_at_no_time_there_are_two(before: str, after: str) -> None:
    world = settled(under(before))
    seen: list[set[Kind]] = []
    world.cluster.on_change = lambda: seen.append(there(world))
    world.apply(under(after))
    world.settle(LONG)
    kinds = {"HPA": {SCALER}, "KEDA": {SCALED_OBJECT}}
    assert there(world) == kinds.get(after, set())
    assert all(len(one) < 2 for one in seen)


def test_an_old_one_that_takes_its_time_holds_the_number_of_pods() -> None:
    world = settled(KEDA.with_replicas(4))
    gone = Ref(SCALED_OBJECT, "default", "reader")
    at = "2026-01-01T00:00:00Z"  # its controller has a finalizer on it
    world.cluster.edit(gone, {"metadata": {"deletionTimestamp": at}})
    for parser in (HPA, BUILT_IN):
        world.apply(parser.with_replicas(4))
        world.settle(30)
        assert there(world) == {SCALED_OBJECT}
        assert world.sizes() == {IMAGE: 4}
        active = world.condition("ScalingActive")
        assert (active["status"], active["reason"]) == ("Unknown", "OldScalerLeaving")
    world.cluster.remove(gone)
    world.settle(LONG)
    assert world.parser()["status"]["autoscaling"]["desiredReplicas"] == 4


def test_nothing_is_rendered_while_another_one_is_there() -> None:
    other = {**found(settled(KEDA), SCALED_OBJECT)}
    observed = Observed(manifests=(other,))
    assert wanted_scaler(HPA.built(), observed, Surroundings(), None) == ()
    assert superfluous_scalers(HPA.built(), observed) == (Ref(SCALED_OBJECT, "default", "reader"),)


def grown() -> World:
    """Return a world in which the built-in autoscaler has asked for more than spec."""
    world = settled(BUILT_IN.with_replicas(6))
    world.apply(BUILT_IN.with_replicas(2))
    world.settle(LONG)
    assert world.sizes() == {IMAGE: 6}
    return world


def test_pods_of_the_built_in_one_stay_until_the_next_one_counts() -> None:
    world = grown()
    world.apply(HPA.with_replicas(2))
    world.settle(LONG)
    assert world.sizes() == {IMAGE: 6}
    assert world.condition("ScalingActive")["reason"] == "ScalerPending"
    world.cluster.edit(REF, {"spec": {"replicas": 4}})
    limited = {"type": "ScalingLimited", "status": "True", "reason": "ScaleUpLimit"}
    told = [{"type": "ScalingActive", "status": "True", "reason": "ValidMetricFound"}, limited]
    world.cluster.edit(Ref(SCALER, "default", "reader"), {"status": {"conditions": told}})
    world.settle(1)
    assert world.sizes() == {IMAGE: 6}, "it is still on its way up"
    world.cluster.edit(REF, {"spec": {"replicas": 5}})
    say(world, SCALER, "ScalingActive", "True")
    assert world.sizes() == {IMAGE: 5}
    assert world.condition("ScalingActive")["reason"] == "Delegated"


def test_keda_counts_once_its_own_autoscaler_has_looked() -> None:
    world = grown()
    world.apply(KEDA.with_replicas(2))
    world.settle(1)
    say(world, SCALED_OBJECT, "Ready", "True")
    assert world.sizes() == {IMAGE: 6}
    world.settle(200)
    assert world.sizes() == {IMAGE: 2}


@pytest.mark.parametrize(
    ("parser", "kind", "name"),
    [(HPA, SCALER, "ScalingActive"), (KEDA, SCALED_OBJECT, "Ready")],
    ids=["HPA", "KEDA"],
)
def test_what_the_autoscaler_says_is_told(parser: ParserBuilder, kind: Kind, name: str) -> None:
    world = settled(parser)
    assert world.condition("ScalingActive")["reason"] == "ScalerPending"
    say(world, kind, name, "False", "FailedGetExternalMetric")
    active = world.condition("ScalingActive")
    assert (active["status"], active["reason"]) == ("False", "ScalerFailed")
    assert active["message"] == f"{NAME[kind]} says FailedGetExternalMetric; see its conditions"
    say(world, kind, name, "True")
    active = world.condition("ScalingActive")
    assert (active["status"], active["reason"]) == ("True", "Delegated")


def test_without_keda_a_condition_says_so_and_nothing_is_tried() -> None:
    world = World()
    world.cluster.unserved.add(SCALED_OBJECT)
    world.apply(KEDA)
    world.settle(LONG)
    active = world.condition("ScalingActive")
    assert (active["status"], active["reason"]) == ("False", "KedaNotInstalled")
    assert "install KEDA" in active["message"]
    assert world.condition("Ready")["status"] == "True"
    writes = len(world.cluster.writes)
    world.settle(600)
    assert len(world.cluster.writes) == writes
    world.cluster.unserved.clear()
    world.settle(61)
    assert there(world) == {SCALED_OBJECT}


def test_one_of_a_user_is_left_alone() -> None:
    world = World()
    kind = {"apiVersion": SCALER.api_version, "kind": SCALER.kind}
    theirs = {**kind, "metadata": {"name": "reader", "namespace": "default"}, "spec": {}}
    world.cluster.submit(theirs)
    world.apply(HPA)
    world.settle(LONG)
    assert found(world, SCALER)["spec"] == {}
    assert world.condition("NameConflict")["status"] == "True"
    assert world.sizes() == {IMAGE: 2}
    assert world.cluster.of_kind(DISRUPTION_BUDGET), "it comes after everything else"
