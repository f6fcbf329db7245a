"""From any state, by any detour, the cluster comes to what the spec asks for, and stays."""

import os

from convergence.chaos import BYSTANDERS, DAMAGES, FAULTS, MOVES, Named, edit, specs
from convergence.scenarios import BASE, BROKEN, ENOUGH_SECONDS, REPLICAS, Scenario, Watchman
from docparser_api import names
from docparser_operator.kinds import POD, SERVICE, SERVICE_ACCOUNT, Manifest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from support.builders import ParserBuilder
from support.world import World

EXAMPLES = int(os.environ.get("CONVERGENCE_EXAMPLES", "60"))
"""More of them find more: CONVERGENCE_EXAMPLES=5000 takes some minutes."""

random_runs = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES <= 60,
    suppress_health_check=list(HealthCheck),
)
moves = st.sampled_from(MOVES)


def bystanders(world: World) -> list[Manifest]:
    """Put objects of others beside ours, as like them as can be, and return them."""
    labels = {names.LABEL_MANAGED_BY: names.MANAGER, names.LABEL_DEPLOYMENT: BASE.name}
    return [
        world.cluster.submit(
            {
                "apiVersion": kind.api_version,
                "kind": kind.kind,
                "metadata": {"name": name, "namespace": BASE.namespace, "labels": wanted},
                "spec": {},
            }
        )
        for kind in (SERVICE, SERVICE_ACCOUNT)
        for name, wanted in zip(BYSTANDERS, (labels, {}), strict=True)
    ]


def end(world: World) -> None:
    """Let everything come to rest, without faults."""
    world.cluster.faults.clear()
    world.full_sync()
    world.queue |= dict.fromkeys(world.store.resources())
    world.settle(ENOUGH_SECONDS)


def assert_at_rest(world: World) -> None:
    """A pass writes nothing, and neither does one of a new operator change anything."""
    written, version = len(world.cluster.writes), world.cluster.version
    world.queue |= dict.fromkeys(world.store.resources())
    world.settle()
    assert world.cluster.writes[written:] == []
    world.start_operator()
    world.settle(ENOUGH_SECONDS)
    assert world.cluster.version == version


def assert_serves(world: World, spec: ParserBuilder) -> None:
    """What runs and what the status says is what `spec` asks for."""
    replicas = spec.spec["replicas"]
    status = world.parser()["status"]
    assert status["observedGeneration"] == world.parser()["metadata"]["generation"]
    ready, progressing = world.condition("Ready"), world.condition("Progressing")
    assert ready["status"] == ("True" if replicas else "False"), status
    # Scaled to zero while it started, a revision waits unproven beside the one that served.
    waits = replicas == 0 and progressing["reason"] == "RollingOut"
    assert waits or progressing["reason"] == "RolloutComplete", status
    assert waits or world.sizes() == {spec.spec["image"]: replicas}
    assert sum(world.sizes().values()) == replicas
    assert world.capacity() == replicas
    assert sum(p["status"]["phase"] == "Running" for p in world.cluster.of_kind(POD)) == replicas


@given(
    acts=st.lists(st.one_of(moves, specs(st.integers(0, 4)).map(edit), FAULTS, DAMAGES)),
    last=specs(st.integers(0, 4)),
)
@random_runs
def test_whatever_happened_the_spec_wins(acts: list[Named], last: ParserBuilder) -> None:
    world = World()
    others = bystanders(world)
    world.apply(BASE)
    for act in acts:
        act(world)
    world.apply(last)
    end(world)
    note(str(world.parser()["status"]))
    assert_at_rest(world)
    assert all(other in world.cluster.objects.values() for other in others)
    if last.spec["image"] != BROKEN:
        assert_serves(world, last)


def a_rollout(strategy: dict[str, object]) -> st.SearchStrategy[list[Named]]:
    """Return edits of the image and minReadySeconds only, with faults and odd timing."""
    images = specs(st.just(REPLICAS)).map(
        lambda spec: edit(spec.with_spec(rollout={**spec.spec["rollout"], **strategy}))
    )
    return st.lists(st.one_of(moves, moves, moves, images, FAULTS), max_size=80)


def play(acts: list[Named], strategy: dict[str, object], least: int, most: int) -> None:
    """Let `acts` happen to a settled object and watch it at every change."""
    world = World()
    world.apply(BASE.with_rollout(**strategy))
    world.settle(ENOUGH_SECONDS)
    watchman = Watchman(world, Scenario(None, lambda _world, _parser: None, least, most))
    for act in acts:
        act(world)
    end(world)
    assert not watchman.complaints
    assert world.capacity() == REPLICAS
    assert_at_rest(world)


@given(acts=a_rollout({"strategy": "Surge"}))
@random_runs
def test_a_surge_never_takes_a_serving_pod_away(acts: list[Named]) -> None:
    play(acts, {"strategy": "Surge"}, least=REPLICAS, most=1000)


@given(acts=a_rollout({"strategy": "InPlace", "maxUnavailable": 1}))
@random_runs
def test_in_place_never_needs_more_pods_nor_lacks_more_than_allowed(acts: list[Named]) -> None:
    play(acts, {"strategy": "InPlace", "maxUnavailable": 1}, least=REPLICAS - 1, most=REPLICAS)
