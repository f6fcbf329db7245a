"""What docs/rollouts.md and docs/rollback.md say of requests, shares and services is so."""

from typing import Any

from convergence.canaries import HAND
from convergence.historian import FRONT, PARENT
from convergence.scenarios import ENOUGH_SECONDS, REPLICAS
from docparser_api import names
from docparser_operator.kinds import SERVICE
from support.builders import ParserBuilder
from support.memory_senses import GOOD
from support.world import World

FIRST, NEXT, THIRD = (f"example.org/runtime:{version}" for version in (1, 2, 3))


def halfway(parser: ParserBuilder = HAND) -> World:
    """A world in which the first revision serves and the next one has begun its steps."""
    world = World()
    world.senses.evidence = GOOD
    world.apply(parser.with_image(FIRST))
    world.settle(ENOUGH_SECONDS)
    ask(world, image=NEXT)
    return world


def ask(world: World, image: str | None = None, **annotations: str | None) -> None:
    """Edit the object as a person does, and wait until nothing more happens."""
    named = {f"{names.GROUP}/{name.replace('_', '-')}": v for name, v in annotations.items()}
    spec = {"spec": {"image": image}} if image is not None else {}
    world.cluster.edit(PARENT, {"metadata": {"annotations": named}, **spec})
    world.settle(ENOUGH_SECONDS)


def rollout(world: World) -> dict[str, Any]:
    found: dict[str, Any] = world.parser()["status"]["rollout"]
    return found


def serving(world: World) -> dict[str, int]:
    return {image: size for image, size in world.sizes().items() if size}


def test_a_pause_outweighs_a_promotion() -> None:
    world = halfway()
    ask(world, pause="true", promote="2/all")
    assert rollout(world)["stepIndex"] == 1
    ask(world, pause=None)
    assert serving(world) == {NEXT: REPLICAS}


def test_a_number_asks_nothing_of_the_same_revision_when_it_comes_again() -> None:
    world = halfway()
    ask(world, abort="2")
    assert serving(world) == {FIRST: REPLICAS}
    ask(world, image=FIRST)
    ask(world, image=NEXT)
    assert "failedAt" not in rollout(world)
    assert NEXT in serving(world)


def test_a_hash_means_every_later_rollout_of_the_revision() -> None:
    world = halfway()
    ask(world, abort=rollout(world)["revision"])
    ask(world, image=FIRST)
    ask(world, image=NEXT)
    assert "failedAt" in rollout(world)
    assert serving(world) == {FIRST: REPLICAS}


def test_an_abort_holds_through_a_retry_until_it_is_removed() -> None:
    world = halfway()
    ask(world, abort="2")
    ask(world, retry="now")
    assert serving(world) == {FIRST: REPLICAS}
    ask(world, retry="again", abort=None)
    assert NEXT in serving(world)


def test_a_rollback_does_not_wait_for_a_pause() -> None:
    world = halfway()
    ask(world, pause="true")
    ask(world, promote="2/all", pause=None)
    ask(world, pause="true", rollback_to="1")
    assert serving(world) == {FIRST: REPLICAS}


def test_a_rollback_that_spec_has_ended_needs_another_remark() -> None:
    world = halfway()
    ask(world, promote="2/all")
    ask(world, rollback_to="1")
    assert serving(world) == {FIRST: REPLICAS}
    ask(world, image=THIRD, promote="3/all")
    assert serving(world) == {THIRD: REPLICAS}
    ask(world, rollback_to="1")
    assert serving(world) == {THIRD: REPLICAS}
    ask(world, rollback_to="1#still wrong")
    assert serving(world) == {FIRST: REPLICAS}


def test_a_removed_rollback_lets_spec_come_by_its_steps() -> None:
    world = halfway()
    ask(world, promote="2/all")
    ask(world, rollback_to="1", promote=None)
    ask(world, rollback_to=None)
    assert (rollout(world)["stepIndex"], serving(world)[FIRST]) == (1, REPLICAS)


def test_pods_without_a_share_are_reached_through_a_service_of_their_own() -> None:
    world = halfway(HAND.with_rollout(strategy="Canary", steps=[{"setReplicas": 1}, {"pause": {}}]))
    assert (rollout(world)["weight"], serving(world)) == (0, {FIRST: REPLICAS, NEXT: 1})
    selectors = {
        service["metadata"]["name"]: service["spec"]["selector"][names.LABEL_REVISION]
        for service in world.cluster.of_kind(SERVICE)
    }
    stable = world.parser()["status"]["currentRevision"]
    assert selectors == {
        FRONT.name: stable,
        FRONT.name + names.SUFFIX_STABLE: stable,
        FRONT.name + names.SUFFIX_CANARY: rollout(world)["revision"],
    }


def test_an_autoscaler_makes_no_serving_revision_smaller_while_a_canary_has_a_share() -> None:
    world = halfway()
    world.cluster.edit(PARENT, {"spec": {"replicas": 1}})
    world.settle(ENOUGH_SECONDS)
    assert serving(world)[FIRST] == REPLICAS
