"""What may happen to a DocParserDeployment in any order: edits, faults, damage, odd timing."""

from collections.abc import Callable

from convergence.scenarios import BASE, BROKEN, NEXT, THIRD
from docparser_api import names
from docparser_operator.kinds import (
    CHILDREN,
    CONTROLLER_REVISION,
    DEPLOYMENT,
    DOC_PARSER,
    POD,
    Manifest,
    Ref,
    ref_of,
)
from hypothesis import strategies as st
from support.builders import ParserBuilder
from support.memory_faults import Fault
from support.world import World

IMAGES = (str(BASE.spec["image"]), NEXT, THIRD, BROKEN)

BYSTANDERS = ("readers", "reader-2")
"""Names of objects of others; nobody touches them, so neither may the operator."""

Act = Callable[[World], object]
"""Something that happens. Its repr tells what, for a failure's report."""


class Named:
    """An act with a name."""

    def __init__(self, name: str, act: Act) -> None:
        self._name = name
        self._act = act

    def __call__(self, world: World) -> None:
        self._act(world)

    def __repr__(self) -> str:
        return self._name


def edit(parser: ParserBuilder) -> Named:
    return Named(f"apply {parser.spec}", lambda world: world.apply(parser))


def specs(replicas: st.SearchStrategy[int]) -> st.SearchStrategy[ParserBuilder]:
    """Return any spec that differs in what a rollout depends on."""
    rollouts = st.sampled_from(
        [
            {"strategy": "Surge"},
            {"strategy": "InPlace", "maxUnavailable": 1},
            {"strategy": "InPlace", "maxUnavailable": 2},
        ]
    )
    return st.builds(
        lambda image, count, rollout, ready, limit: (
            BASE.with_image(image)
            .with_replicas(count)
            .with_rollout(**rollout, minReadySeconds=ready)
            .with_spec(revisionHistoryLimit=limit)
        ),
        st.sampled_from(IMAGES),
        replicas,
        rollouts,
        st.sampled_from([0, 20]),
        st.integers(0, 2),
    )


def _time(world: World, seconds: float) -> None:
    world.clock.advance(seconds)
    due = [key for key, at in world.timers.items() if at <= world.clock.monotonic()]
    world.queue |= dict.fromkeys(due)


def _reconcile(world: World) -> None:
    if world.queue:
        world.reconcile_next()


def _deployments(world: World) -> None:
    for deployment in world.cluster.of_kind(DEPLOYMENT):
        world.controllers.run_deployment(deployment)


def _kubelet(world: World) -> None:
    for pod in world.cluster.of_kind(POD):
        world.controllers.run_pod(pod)


MOVES = (
    Named("one event", lambda world: world.deliver(1)),
    Named("all events", lambda world: world.deliver()),
    Named("one pass", _reconcile),
    Named("controllers", lambda world: world.controllers.step()),
    Named("Deployment controller", _deployments),
    Named("kubelet", _kubelet),
    Named("6 s", lambda world: _time(world, 6)),
    Named("70 s", lambda world: _time(world, 70)),
    Named("12 steps", lambda world: [world.step() for _ in range(12)]),
    Named("restart", lambda world: world.start_operator()),
)


def fault(kind: Fault, ahead: int) -> Named:
    def plan(world: World) -> None:
        world.cluster.faults[len(world.cluster.writes) + ahead] = kind

    return Named(f"{kind.value} at write {ahead} from here", plan)


def _lose_events(world: World) -> None:
    world.watch.deliver(world.store, lost=range(1000))


def _delete_parser(world: World) -> None:
    parser = world.parser()
    world.cluster.remove(ref_of(parser))
    world.cluster.submit({**parser, "metadata": {**parser["metadata"], "uid": ""}, "status": {}})


def _pick(world: World, number: int) -> Ref | None:
    refs = [ref_of(m) for kind in CHILDREN for m in world.cluster.of_kind(kind)]
    refs = [ref for ref in refs if ref.name not in BYSTANDERS]
    return refs[number % len(refs)] if refs else None


def _damage(what: str, patch: Manifest, number: int) -> Named:
    def act(world: World) -> None:
        if (ref := _pick(world, number)) is not None:
            world.cluster.edit(ref, patch)
            # What is neither labelled nor owned any more is not ours, nor can it be found.
            world.settle(10)

    return Named(f"{what} of child {number}", act)


def _delete_child(number: int) -> Named:
    def act(world: World) -> None:
        if (ref := _pick(world, number)) is not None:
            world.cluster.remove(ref)

    return Named(f"delete child {number}", act)


def _spoil_status(patch: Manifest) -> Named:
    ref = Ref(DOC_PARSER, BASE.namespace, BASE.name)
    return Named(f"status {patch}", lambda world: world.cluster.edit(ref, {"status": patch}))


def _claim_old_revision(world: World) -> None:
    found = world.cluster.of_kind(CONTROLLER_REVISION)
    if found:
        revision = found[0]["metadata"]["name"].rpartition("-")[2]
        world.cluster.edit(ref_of(world.parser()), {"status": {"currentRevision": revision}})


def _evict(world: World) -> None:
    for pod in world.cluster.of_kind(POD)[:1]:
        world.cluster.edit(ref_of(pod), {"status": {"phase": "Failed", "conditions": []}})


def _scale_deployments(world: World) -> None:
    for deployment in world.cluster.of_kind(DEPLOYMENT):
        world.cluster.edit(ref_of(deployment), {"spec": {"replicas": 2}})


_NUMBERS = st.integers(0, 20)
_LABELS = (names.LABEL_MANAGED_BY, names.LABEL_DEPLOYMENT, names.LABEL_REVISION)
_GONE: dict[str, list[Manifest]] = {
    "label": [{"metadata": {"labels": {label: None}}} for label in _LABELS],
    "annotations": [
        {"metadata": {"annotations": {names.ANNOTATION_OBSERVATIONS: "{"}}},
        {"metadata": {"annotations": {names.ANNOTATION_OUTCOME: "[1]"}}},
        {"metadata": {"annotations": None}},
    ],
    "owner": [{"metadata": {"ownerReferences": None}}],
    "all labels": [{"metadata": {"labels": None}}],
}

DAMAGES: st.SearchStrategy[Named] = st.one_of(
    *(
        st.builds(_damage, st.just(f"lose {what}"), st.sampled_from(patches), _NUMBERS)
        for what, patches in _GONE.items()
    ),
    st.builds(_delete_child, _NUMBERS),
    st.builds(
        _spoil_status,
        st.sampled_from(
            [
                {"currentRevision": None},
                {"currentRevision": "nonsense"},
                {"rollout": None},
                {"rollout": {"failedAt": "2026-01-01T00:00:00Z"}},
                {"conditions": []},
                {"observedGeneration": 77, "replicas": 9},
            ]
        ),
    ),
    st.sampled_from(
        [
            Named("claim an old revision", _claim_old_revision),
            Named("evict a pod", _evict),
            Named("scale all Deployments to 2", _scale_deployments),
            Named("lose events", _lose_events),
            Named("full sync", lambda world: world.full_sync()),
            Named("delete and recreate", _delete_parser),
        ]
    ),
)
FAULTS = st.builds(fault, st.sampled_from(list(Fault)), st.integers(1, 8))
