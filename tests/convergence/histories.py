"""What people do to a DocParserDeployment while revisions are rolled out, and what befalls it."""

import re
from typing import Any

from convergence.chaos import Named, fault
from convergence.historian import PARENT, WITH_STEPS
from convergence.scenarios import BASE, ENOUGH_SECONDS
from docparser_api import names
from docparser_operator.kinds import CONTROLLER_REVISION, Manifest
from hypothesis import strategies as st
from support.memory_faults import Fault
from support.world import World

FIRST = str(BASE.spec["image"])
GOODS = tuple(f"example.org/runtime:{n}" for n in range(2, 6))
BADS = (
    "example.org/runtime:broken",
    "example.org/runtime:errors",
    "example.org/runtime:more-errors",
)
TIMED: list[Manifest] = [
    {"setWeight": 34},
    {"pause": {"durationSeconds": 20}},
    {"analysis": {"durationSeconds": 10}},
]
BY_HAND: list[Manifest] = [{"setWeight": 25}, {"pause": {}}, {"setWeight": 50}, {"pause": {}}]
BARE: list[Manifest] = [{"setWeight": 1}, {"setReplicas": 2}, {"setWeight": 100}]
START = BASE.with_rollout(strategy="Canary", steps=TIMED)
STRATEGIES: tuple[Manifest, ...] = (
    {"strategy": "Canary", "steps": TIMED},
    {"strategy": "Canary", "steps": BY_HAND},
    {"strategy": "Canary", "steps": BARE},
    {"strategy": "Canary", "steps": TIMED, "rollbackWindowRevisions": 0},
    {"strategy": "BlueGreen", "steps": [{"pause": {}}, {"analysis": {"durationSeconds": 10}}]},
    {"strategy": "BlueGreen", "steps": None},
    {"strategy": "Surge", "steps": None},
    {"strategy": "InPlace", "steps": None, "maxUnavailable": 1},
    {"strategy": "Recreate", "steps": None, "maxUnavailable": 5},
)


def change(world: World, spec: Manifest) -> None:
    """Merge `spec` into the spec, as a person does; annotations stay."""
    world.cluster.edit(PARENT, {"spec": spec})


def roll(image: str) -> Named:
    return Named(f"image {image}", lambda world: change(world, {"image": image}))


def scale(replicas: int) -> Named:
    return Named(f"{replicas} replicas", lambda world: change(world, {"replicas": replicas}))


def by(rollout: Manifest) -> Named:
    return Named(f"rollout {rollout}", lambda world: change(world, {"rollout": rollout}))


def ask(annotation: str, value: str | None) -> Named:
    """Return the act of a person who sets an annotation; None removes it.

    In its value, words in braces stand for what the status says at that time.
    """

    def act(world: World) -> None:
        text = value and re.sub(r"\{(\w+)\}", lambda found: _said(world, found[1]), value)
        world.cluster.edit(PARENT, {"metadata": {"annotations": {annotation: text}}})

    return Named(f"{annotation.partition('/')[2]}={value}", act)


def _said(world: World, word: str) -> str:
    status = world.parser().get("status", {})
    rollout: dict[str, Any] = status.get("rollout") or {}
    known = {
        "rolling": rollout.get("revision", ""),
        "step": rollout.get("stepIndex", 0),
        "number": status.get("updateRevisionNumber", 1),
        "version": world.cluster.version,
        "time": len(world.cluster.changes),
    }
    return str(known[word])


def _revert(world: World) -> None:
    """Ask in spec for what serves."""
    serving = world.parser()["status"].get("currentRevision")
    for record in world.cluster.of_kind(CONTROLLER_REVISION):
        if record["metadata"]["name"].endswith(f"-{serving}"):
            change(world, {"image": record["data"]["shape"]["image"]})


def _go_back(number: int, form: str) -> Named:
    """Return the act of a person who asks for a kept revision in one of the forms."""

    def act(world: World) -> None:
        kept = world.cluster.of_kind(CONTROLLER_REVISION)
        record = kept[number % len(kept)]
        name = record["metadata"]["name"].rpartition("-")[2]
        value = form.format(number=record["revision"], hash=name, part=name[:6])
        ask(names.ANNOTATION_ROLLBACK_TO, value)(world)

    return Named(f"rollback to {form} of {number}", act)


def _wait(seconds: float) -> Named:
    return Named(f"{seconds} s", lambda world: world.settle(seconds))


def _steps(count: int) -> Named:
    return Named(f"{count} steps", lambda world: [world.step() for _ in range(count)] and None)


PEOPLE: st.SearchStrategy[Named] = st.one_of(
    st.sampled_from((FIRST, *GOODS)).map(roll),
    st.sampled_from(BADS).map(roll),
    st.just(Named("revert", _revert)),
    st.integers(0, 5).map(scale),
    st.sampled_from(STRATEGIES).map(by),
    st.sampled_from(
        [
            ask(names.ANNOTATION_ABORT, "{rolling}"),
            ask(names.ANNOTATION_ABORT, "{number}"),
            ask(names.ANNOTATION_ABORT, None),
            ask(names.ANNOTATION_RETRY, "{time}"),
            ask(names.ANNOTATION_PAUSE, "true"),
            ask(names.ANNOTATION_PAUSE, None),
            ask(names.ANNOTATION_PAUSE, "perhaps"),
            ask(names.ANNOTATION_PROMOTE, "{rolling}/{step}"),
            ask(names.ANNOTATION_PROMOTE, "{number}/all"),
            ask(names.ANNOTATION_PROMOTE, "soon"),
            ask(names.ANNOTATION_ROLLBACK_TO, "nonsense"),
            ask(names.ANNOTATION_ROLLBACK_TO, "99"),
            ask(names.ANNOTATION_ROLLBACK_TO, None),
        ]
    ),
    st.builds(
        _go_back,
        st.integers(0, 9),
        st.sampled_from(["{number}", "{number}#it reads badly", "{hash}", "{part}"]),
    ),
    st.integers(100, 400).map(
        lambda version: ask(names.ANNOTATION_ROLLBACK_TO, f"resourceVersion:{version}")
    ),
)
FATE: st.SearchStrategy[Named] = st.one_of(
    st.sampled_from([_steps(1), _steps(3), _steps(12)]),
    st.sampled_from([_wait(0), _wait(6), _wait(25), _wait(70)]),
    st.sampled_from(
        [
            Named("one event", lambda world: world.deliver(1)),
            Named("controllers", lambda world: world.controllers.step()),
            Named("restart", lambda world: world.start_operator()),
        ]
    ),
    st.builds(fault, st.sampled_from([Fault.CRASH_BEFORE, Fault.CRASH_AFTER]), st.integers(1, 8)),
)
REST = Named("rest", lambda world: world.settle(ENOUGH_SECONDS))
"""Time enough for everything to come to rest."""

_BEGINNING: st.SearchStrategy[list[Named]] = st.builds(
    lambda rollout, image, more: [by(rollout), roll(image), _steps(3), *more],
    st.sampled_from([rollout for rollout in STRATEGIES if rollout["strategy"] in WITH_STEPS]),
    st.sampled_from((*GOODS[:2], *BADS)),
    st.sampled_from([[], [], [ask(names.ANNOTATION_PROMOTE, "{number}/all")]]),
)
HISTORIES: st.SearchStrategy[list[Named]] = st.builds(
    lambda beginning, rest: [*beginning, *rest],
    _BEGINNING,
    st.lists(st.one_of(PEOPLE, FATE, FATE, st.just(REST)), min_size=8, max_size=40),
)
