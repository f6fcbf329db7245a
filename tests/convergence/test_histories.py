"""Whatever people do while revisions are rolled out, no promise is broken on the way."""

import os
from functools import cache

import pytest
from convergence.chaos import Named
from convergence.historian import FRONT, PARENT, Historian
from convergence.histories import HISTORIES, REST, START
from convergence.scenarios import ENOUGH_SECONDS, REPLICAS
from convergence.test_random import assert_at_rest
from docparser_api import names
from docparser_operator.kinds import POD
from hypothesis import HealthCheck, given, note, settings
from support.memory_senses import GOOD
from support.world import World

QUICK = 15
EXAMPLES = int(os.environ.get("CONVERGENCE_EXAMPLES", "250"))
LAST = "example.org/runtime:last"


def generated(examples: int) -> settings:
    """Return settings for so many histories, the same ones each time unless they are many."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=examples <= 250,
        suppress_health_check=list(HealthCheck),
    )


@cache
def settled() -> World:
    """Return a world in which the first revision serves."""
    world = World()
    world.senses.evidence = GOOD
    world.apply(START)
    world.settle(ENOUGH_SECONDS)
    return world


def assert_nothing_is_left_of_a_failure(world: World) -> None:
    """A revision that was given up has no pods and gets no requests."""
    status = world.parser()["status"]
    rollout = status["rollout"]
    if "failedAt" not in rollout:
        return
    given_up = rollout["revision"]
    assert rollout["weight"] == 0
    labels = [pod["metadata"]["labels"] for pod in world.cluster.of_kind(POD)]
    assert all(label.get(names.LABEL_REVISION) != given_up for label in labels)
    selector = world.cluster.objects[FRONT]["spec"]["selector"]
    assert selector[names.LABEL_REVISION] == status["currentRevision"] != given_up


def assert_a_good_revision_gets_through(world: World) -> None:
    """Once nobody asks for anything else, the next good spec takes over by its steps."""
    asked = dict.fromkeys(world.parser()["metadata"]["annotations"])
    good = {**START.with_image(LAST).spec, "replicas": REPLICAS}
    world.cluster.edit(PARENT, {"metadata": {"annotations": asked}, "spec": good})
    world.settle(ENOUGH_SECONDS)
    assert world.sizes() == {LAST: REPLICAS}
    assert world.capacity() == REPLICAS
    assert world.condition("UpToDate")["status"] == "True"


def live(acts: list[Named]) -> None:
    """Let `acts` happen, watch every moment of them, and see that all is well afterwards."""
    world = settled().copy()
    historian = Historian(world)
    for act in (*acts, REST):
        act(world)
        if act is REST:
            world.cluster.faults.clear()
            world.settle(ENOUGH_SECONDS)
            assert_nothing_is_left_of_a_failure(world)
            historian.rest()
        assert not historian.complaints, f"after {act}"
    note(str(world.parser()))
    assert_at_rest(world)
    assert_a_good_revision_gets_through(world)
    assert not historian.complaints


@given(acts=HISTORIES)
@generated(QUICK)
def test_no_history_breaks_a_promise(acts: list[Named]) -> None:
    live(acts)


@pytest.mark.thorough
@given(acts=HISTORIES)
@generated(EXAMPLES)
def test_nor_does_one_of_many(acts: list[Named]) -> None:
    live(acts)
