"""Where a revision shrinks, the idlest of its pods go."""

import math
from typing import Any

import pytest
from docparser_operator.autoscaling.subject import Load
from docparser_operator.autoscaling.values import Demand
from docparser_operator.deletion_costs import ANNOTATION, deletion_costs
from docparser_operator.errors import ApiError, NotLeaderError
from docparser_operator.kinds import POD, Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod, pod_of
from docparser_operator.situation import Decision
from support.builders import ParserBuilder, a_workload
from support.world import World
from unit.operator.delegation_case import HPA
from unit.operator.plan_case import BEGUN
from unit.operator.reconcile_case import KEY, LONG, PARSER, REF

GONE = 404


def pod(name: str, *, cost: str | None = None, ready: bool = True, leaves: bool = False) -> Pod:
    metadata: dict[str, Any] = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    metadata["labels"] = {"docparser.dev/revision": "one"}
    metadata |= {"annotations": {ANNOTATION: cost}} if cost is not None else {}
    metadata |= {"deletionTimestamp": "2026-01-01T00:00:00Z"} if leaves else {}
    conditions = [{"type": "Ready", "status": "True"}] if ready else []
    return pod_of({"metadata": metadata, "status": {"conditions": conditions}})


def marks(pods: list[Pod], size: int, **left: float) -> dict[str, str | None]:
    """Return the marks that change when as many of `pods` are to be left as `size` says."""
    observed = Observed(workloads={"one": a_workload("one", len(pods))}, pods=tuple(pods))
    decision = Decision("one", "one", {"one": size}, (), BEGUN)
    remaining = {f"uid-{name}": pages for name, pages in left.items()}
    changed = deletion_costs(observed, decision, remaining)
    return {
        one["metadata"]["name"]: one["metadata"].get("annotations", {}).get(ANNOTATION)
        for one in changed
    }


ABC = [pod("a"), pod("b"), pod("c")]


@pytest.mark.parametrize(
    ("what", "size", "left", "wanted"),
    [
        (ABC, 2, {"a": 9, "b": 0, "c": 3}, {"b": "-1"}),
        (ABC, 1, {"a": 9, "b": 0, "c": 3}, {"b": "-1", "c": "-1"}),
        (ABC, 3, {"a": 9, "b": 0, "c": 3}, {}),
        (ABC, 0, {"a": 9, "b": 0, "c": 3}, {}),
        (ABC, 2, {"a": 4, "b": 4, "c": 4}, {}),
        (ABC, 2, {}, {}),
        # Of one that is not heard it is not known that it is idle.
        (ABC, 2, {"a": 9, "b": 8}, {"b": "-1"}),
        ([pod("a"), pod("b", ready=False), pod("c")], 2, {"a": 9, "c": 3}, {}),
        ([pod("a"), pod("b", leaves=True), pod("c")], 2, {"a": 9, "b": 0, "c": 3}, {}),
        # What was marked and has got work since is freed; a mark that holds is not written again.
        ([pod("a", cost="-1"), *ABC[1:]], 2, {"a": 9, "b": 0, "c": 3}, {"a": None, "b": "-1"}),
        ([pod("a"), pod("b", cost="-1"), pod("c")], 2, {"a": 9, "b": 0, "c": 0}, {}),
        ([pod("a"), pod("b"), pod("c", cost="-1")], 2, {"a": 9, "b": 0, "c": 0}, {}),
        # Users who set costs decide.
        ([pod("a", cost="7"), pod("b"), pod("c")], 2, {"a": 9, "b": 0, "c": 3}, {}),
    ],
    ids=["one", "two", "none goes", "all go", "equally busy", "not measured", "one is silent",
         "one is not ready", "one leaves already", "an old mark", "a mark that holds",
         "a mark among equals", "costs of users"],
)  # fmt: skip
def test_the_idlest_are_marked(
    what: list[Pod], size: int, left: dict[str, float], wanted: dict[str, str | None]
) -> None:
    assert marks(what, size, **left) == wanted


def grown(parser: ParserBuilder = HPA) -> World:
    """Return a world with three pods whose load is known: the first two have work."""
    world = World()
    world.apply(parser.with_replicas(3))
    world.settle(LONG)
    load(world, 9, 8, 0)
    return world


def load(world: World, *pages: float) -> None:
    """Tell what the pods have left to read, by name."""
    uids = [pod["metadata"]["uid"] for pod in serving(world)]
    told = dict(zip(uids, pages, strict=True))
    world.senses.load = Load(Demand(0, sum(pages), 0, 0, world.clock()), remaining=told)


def serving(world: World) -> list[Manifest]:
    return [
        p for p in world.cluster.of_kind(POD) if "docparser.dev/revision" in p["metadata"]["labels"]
    ]


def names_of(world: World) -> list[str]:
    return [pod["metadata"]["name"] for pod in serving(world)]


@pytest.mark.parametrize("idle", [0, 1, 2])
def test_the_pod_with_nothing_to_do_goes(idle: int) -> None:
    world = grown()
    names = names_of(world)
    load(world, *(0 if place == idle else 5 for place in range(3)))
    world.cluster.edit(REF, {"spec": {"replicas": 2}})
    world.settle(LONG)
    assert names_of(world) == [name for place, name in enumerate(names) if place != idle]


def test_at_rest_no_pod_is_written() -> None:
    world = grown()
    for pages in ((0, 5, 5), (5, 0, 5), (math.inf, 1, 2)):
        load(world, *pages)
        world.queue[KEY] = None
        world.settle(60)
    assert [write for write in world.cluster.writes if write.ref.kind == POD] == []


def test_a_pod_that_cannot_be_marked_holds_nothing_up() -> None:
    world = grown()

    def refuse(_verb: str, ref: Ref) -> ApiError | None:
        return ApiError(GONE, "gone") if ref.kind == POD else None

    world.cluster.refuse = refuse
    world.cluster.edit(REF, {"spec": {"replicas": 2}})
    world.settle(LONG)
    assert len(names_of(world)) == 2


def test_who_does_not_lead_marks_nothing() -> None:
    world = grown()
    world.leads = lambda: False
    world.start_operator()
    world.cluster.edit(REF, {"spec": {"replicas": 2}})
    with pytest.raises(NotLeaderError):
        world.settle(LONG)
    assert [write for write in world.cluster.writes if write.ref.kind == POD] == []


def test_without_an_autoscaler_nobody_knows_who_is_idle() -> None:
    world = grown(PARSER)
    world.cluster.edit(REF, {"spec": {"replicas": 2}})
    world.settle(LONG)
    assert [write for write in world.cluster.writes if write.ref.kind == POD] == []
