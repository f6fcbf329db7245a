import copy

import pytest
from docparser_api import names
from docparser_api.deployment import parse
from docparser_operator.errors import ApiError, ConflictError, NotLeaderError
from docparser_operator.kinds import (
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    EVENT,
    SERVICE,
    SERVICE_ACCOUNT,
    Kind,
    Manifest,
)
from docparser_operator.writer import Writer
from support.memory_faults import Fault
from unit.operator.desk import KEY, PARENT, PARSER, Desk, settled

FIVE = ["ControllerRevision", "ServiceAccount", "PodDisruptionBudget", "Service", "Deployment"]


async def test_children_are_made_in_order_and_owned() -> None:
    desk = Desk()
    await desk.carry_out()
    assert desk.written() == [(kind, True) for kind in FIVE]
    uid = desk.cluster.objects[PARENT]["metadata"]["uid"]
    children = [m for ref, m in desk.cluster.objects.items() if ref != PARENT]
    assert {m["metadata"]["ownerReferences"][0]["uid"] for m in children} == {uid}


async def test_what_is_as_it_was_left_is_not_written_again() -> None:
    desk = await settled()
    await desk.carry_out()
    assert desk.written() == []


async def test_a_restart_costs_one_write_each_that_changes_nothing() -> None:
    desk = await settled()
    desk.writer = Writer(desk.cluster, desk.store, lambda: True)
    await desk.carry_out()
    assert desk.written() == [(kind, False) for kind in FIVE]


DAMAGE: dict[str, tuple[Kind, Manifest]] = {
    "replicas": (DEPLOYMENT, {"spec": {"replicas": 9}}),
    "label": (SERVICE, {"metadata": {"labels": {names.LABEL_APP: "x"}}}),
    "selector": (SERVICE, {"spec": {"selector": {"app": "x"}}}),
    "owner": (SERVICE_ACCOUNT, {"metadata": {"ownerReferences": None}}),
    "flag": (SERVICE_ACCOUNT, {"automountServiceAccountToken": True}),
    "limit": (DISRUPTION_BUDGET, {"spec": {"maxUnavailable": 2}}),
}


@pytest.mark.parametrize("what", DAMAGE)
async def test_damage_is_repaired_with_one_write(what: str) -> None:
    desk = await settled()
    kind, patch = DAMAGE[what]
    ref = desk.ref(kind)
    before = copy.deepcopy(desk.cluster.objects[ref])
    desk.cluster.edit(ref, patch)
    desk.look(ref)
    await desk.carry_out()
    assert desk.written() == [(kind.kind, True)]
    for manifest in (before, desk.cluster.objects[ref]):
        manifest["metadata"].pop("resourceVersion")
        manifest["metadata"].pop("generation", None)
    assert desk.cluster.objects[ref] == before
    desk.cluster.writes.clear()
    await desk.carry_out()
    assert desk.written() == []


async def test_annotations_of_others_are_kept() -> None:
    desk = await settled()
    ref = desk.ref(DEPLOYMENT)
    desk.cluster.edit(ref, {"metadata": {"annotations": {"x": "y"}}, "spec": {"replicas": 7}})
    desk.look(ref)
    await desk.carry_out()
    assert desk.cluster.objects[ref]["metadata"]["annotations"] == {"x": "y"}
    assert desk.cluster.objects[ref]["spec"]["replicas"] == 2


async def test_a_conflict_is_answered_by_a_fresh_look() -> None:
    desk = await settled()
    ref = desk.ref(DEPLOYMENT)
    desk.cluster.edit(ref, {"spec": {"replicas": 5}})
    desk.look(ref)
    desk.cluster.edit(ref, {"spec": {"replicas": 6}})  # the watch has not told yet
    with pytest.raises(ConflictError):
        await desk.carry_out()
    await desk.carry_out()
    assert desk.cluster.objects[ref]["spec"]["replicas"] == 2


async def test_a_conflict_with_something_that_is_gone_ends_what_was_known() -> None:
    desk = await settled()
    ref = desk.ref(SERVICE)
    desk.cluster.edit(ref, {"spec": {"type": "x"}})
    desk.look(ref)
    desk.cluster.remove(ref)
    with pytest.raises(ConflictError):
        await desk.carry_out()
    await desk.carry_out()
    assert ref in desk.cluster.objects


async def test_nothing_is_written_once_the_lease_is_over() -> None:
    desk = Desk()
    desk.leads = False
    parser = PARSER.built().metadata
    with pytest.raises(NotLeaderError):
        await desk.carry_out()
    with pytest.raises(NotLeaderError):
        await desk.writer.patch_status(parser, {"summary": "late"})
    with pytest.raises(NotLeaderError):
        await desk.writer.send({"metadata": {"namespace": "default", "name": "late"}})
    assert desk.written() == []


async def test_a_status_of_something_that_is_gone_ends_what_was_known() -> None:
    desk = Desk()
    body = desk.cluster.objects[PARENT]
    desk.cluster.remove(PARENT)
    assert not await desk.writer.patch_status(parse(body).metadata, {"summary": "x"})
    assert desk.store.resource(KEY) is None


async def test_a_status_that_is_overtaken_is_not_written_but_looked_at() -> None:
    desk = Desk()
    owner = PARSER.built().metadata
    with pytest.raises(ConflictError):
        await desk.writer.patch_status(owner, {"summary": "x"})
    body = desk.store.resource(KEY)
    assert body is not None
    assert await desk.writer.patch_status(parse(body).metadata, {"summary": "x"})


async def test_the_loss_of_an_event_is_no_failure() -> None:
    desk = Desk()
    event = {"metadata": {"namespace": "default", "name": "e"}, "kind": "Event"}
    await desk.writer.send(event)
    await desk.writer.send(event)
    desk.cluster.refuse = lambda _verb, _ref: ApiError(403, "no")
    await desk.writer.send({**event, "metadata": {"namespace": "default", "name": "f"}})
    assert [ref.name for ref in desk.cluster.objects if ref.kind == EVENT] == ["e"]


async def test_a_deletion_names_the_version_it_is_meant_for() -> None:
    desk = await settled()
    image = "example.org/runtime:2"
    desk.cluster.submit(PARSER.with_image(image).with_spec(revisionHistoryLimit=0).manifest())
    desk.look(PARENT)
    old = desk.ref(DEPLOYMENT)
    await desk.carry_out()  # nothing has served, so the old one shrinks at once
    desk.cluster.faults[len(desk.cluster.writes) + 1] = Fault.CONFLICT
    with pytest.raises(ConflictError):
        await desk.carry_out()
    assert old in desk.cluster.objects
    await desk.carry_out()
    assert old not in desk.cluster.objects
