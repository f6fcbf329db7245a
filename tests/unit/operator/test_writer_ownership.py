"""What the writer does with names that somebody may have taken, and with orphans."""

import pytest
from docparser_api import names
from docparser_operator.errors import ConflictError, NameTakenError
from docparser_operator.kinds import (
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    SERVICE,
    SERVICE_ACCOUNT,
    Kind,
    Manifest,
    Ref,
)
from unit.operator.desk import KEY, PARENT, PARSER, Desk, settled


def a_foreign(kind: Kind, name: str = "reader", **metadata: object) -> Manifest:
    what = {"apiVersion": kind.api_version, "kind": kind.kind}
    return {**what, "metadata": {"name": name, "namespace": "default", **metadata}, "spec": {}}


@pytest.mark.parametrize("kind", [SERVICE_ACCOUNT, DISRUPTION_BUDGET, SERVICE])
async def test_a_foreign_object_of_our_name_is_not_touched(kind: Kind) -> None:
    desk = Desk()
    foreign = desk.cluster.submit(a_foreign(kind))
    with pytest.raises(NameTakenError, match=f"{kind.kind} reader"):
        await desk.carry_out()
    assert desk.cluster.objects[Ref(kind, "default", "reader")] == foreign
    desk.cluster.remove(Ref(kind, "default", "reader"))
    await desk.carry_out()
    assert len(desk.store.children(KEY)) == 5


async def test_an_object_of_a_predecessor_is_not_touched() -> None:
    desk = Desk()
    owner = {"apiVersion": names.API_VERSION, "kind": names.KIND, "name": "reader"}
    owners = [{**owner, "uid": "uid-of-the-dead", "controller": True}]
    made = desk.cluster.submit(a_foreign(SERVICE, ownerReferences=owners))
    desk.look(Ref(SERVICE, "default", "reader"))
    with pytest.raises(NameTakenError):
        await desk.carry_out()
    assert desk.cluster.objects[Ref(SERVICE, "default", "reader")] == made


async def test_an_object_of_ours_that_was_not_seen_calls_for_a_new_plan() -> None:
    desk = await settled()
    ref = desk.ref(DEPLOYMENT)
    known = desk.store.get(ref)
    assert known is not None
    desk.store.remove(known)
    with pytest.raises(ConflictError, match="not as it was known"):
        await desk.carry_out()
    assert desk.written() == []
    await desk.carry_out()
    assert desk.written() == []


ORPHAN = {"metadata": {"ownerReferences": None}}


async def test_an_orphan_is_adopted_after_a_look_at_its_owner() -> None:
    desk = await settled()
    ref = desk.ref(SERVICE)
    desk.cluster.edit(ref, ORPHAN)
    desk.look(ref)
    await desk.carry_out()
    assert desk.cluster.objects[ref]["metadata"]["ownerReferences"]


@pytest.mark.parametrize("end", ["gone", "deleting", "recreated"])
async def test_an_orphan_of_an_owner_that_ends_is_left_alone(end: str) -> None:
    desk = await settled()
    ref = desk.ref(SERVICE)
    desk.cluster.edit(ref, ORPHAN)
    desk.look(ref)
    if end == "deleting":
        desk.cluster.edit(PARENT, {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    else:
        desk.cluster.remove(PARENT)
    if end == "recreated":
        desk.cluster.submit(PARSER.manifest())
    with pytest.raises(ConflictError, match="being deleted"):
        await desk.carry_out()
    assert "ownerReferences" not in desk.cluster.objects[ref]["metadata"]
    assert desk.written() == []
