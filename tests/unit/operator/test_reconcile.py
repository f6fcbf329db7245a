import copy

import pytest
from docparser_api import names
from docparser_operator.errors import NotLeaderError
from docparser_operator.kinds import (
    CONTROLLER_REVISION,
    DEPLOYMENT,
    EVENT,
    POD,
    ref_of,
)
from support.world import World, run
from unit.operator.reconcile_case import BROKEN, KEY, LONG, NEXT, PARSER, REF, a_settled_world


def test_a_new_object_comes_to_serve() -> None:
    world = a_settled_world()
    assert world.condition("Ready")["status"] == "True"
    assert world.capacity() == 2
    assert world.parser()["status"]["observedGeneration"] == 1


def test_an_object_that_is_deleted_is_left_to_the_garbage_collector() -> None:
    world = a_settled_world()
    world.cluster.edit(REF, {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})
    written = len(world.cluster.writes)
    world.apply(NEXT)
    world.settle(LONG)
    assert world.cluster.writes[written:] == []


def test_nothing_is_left_after_a_deletion() -> None:
    world = a_settled_world()
    world.cluster.remove(REF)
    world.settle(LONG)
    assert {ref.kind for ref in world.cluster.objects} <= {EVENT}
    assert world.store.children(KEY) == []
    assert not world.reconciler._writer._applied


def test_a_ghost_is_forgotten_when_its_status_cannot_be_written() -> None:
    world = World()
    world.apply(PARSER)
    world.deliver()
    world.cluster.remove(REF)
    world.watch.position = len(world.cluster.changes)  # the watch never tells of the end
    world.settle(LONG)
    assert world.store.resources() == []
    assert {ref.kind for ref in world.cluster.objects} <= {EVENT}


def test_a_status_that_was_edited_by_hand_is_corrected() -> None:
    world = a_settled_world()
    before = copy.deepcopy(world.parser()["status"])
    spoilt = {
        "observedGeneration": 99,
        "replicas": 7,
        "currentRevision": "nonsense",
        "rollout": None,
        "summary": "all is lost",
        "conditions": [],
    }
    world.cluster.edit(REF, {"status": spoilt})
    children = [write for write in world.cluster.writes if write.verb != "status"]
    world.settle(LONG)
    after = world.parser()["status"]
    for status in (before, after):
        status.pop("rollout")
    assert after == before
    assert [w for w in world.cluster.writes if w.verb not in {"status", "create"}] == [
        w for w in children if w.verb != "create"
    ]


def test_a_new_leader_writes_nothing_when_all_is_well() -> None:
    world = a_settled_world()
    version = world.cluster.version
    world.start_operator()
    world.settle(LONG)
    assert world.cluster.version == version


def test_a_process_that_does_not_lead_writes_nothing() -> None:
    world = World(leads=lambda: False)
    world.apply(PARSER)
    world.deliver()
    with pytest.raises(NotLeaderError):
        run(world.reconciler.reconcile(KEY))
    assert world.cluster.writes == []


def test_a_failed_revision_leaves_the_old_one_serving_until_it_is_asked_for_again() -> None:
    world = a_settled_world()
    world.apply(BROKEN)
    world.settle(LONG)
    assert world.sizes() == {str(PARSER.spec["image"]): 2}
    assert world.condition("Degraded")["reason"] == "RolloutFailed"
    assert "CrashLoop" in world.condition("Degraded")["message"]
    written = len(world.cluster.writes)
    world.settle(LONG)
    assert world.cluster.writes[written:] == []
    world.apply(BROKEN.with_annotation(names.ANNOTATION_RETRY, "1"))
    world.settle()
    assert world.sizes() == {str(PARSER.spec["image"]): 2, str(BROKEN.spec["image"]): 2}
    assert world.condition("Progressing")["reason"] == "RollingOut"
    world.settle(LONG)
    assert world.sizes() == {str(PARSER.spec["image"]): 2}


def test_a_revert_uses_the_old_revision_again() -> None:
    world = a_settled_world()
    names_before = {m["metadata"]["name"] for m in world.cluster.of_kind(CONTROLLER_REVISION)}
    world.apply(NEXT)
    world.settle(LONG)
    world.apply(PARSER)
    world.settle(LONG)
    deployments = {m["metadata"]["name"] for m in world.cluster.of_kind(DEPLOYMENT)}
    assert deployments == names_before
    assert world.parser()["status"]["currentRevisionNumber"] == 3


def test_pods_wait_for_a_node_and_the_old_ones_serve_on() -> None:
    world = World(nodes=3)
    world.apply(PARSER)
    world.settle(LONG)
    world.apply(NEXT)
    world.settle()
    assert world.condition("Degraded")["reason"] == "Unschedulable"
    assert "nvidia.com/gpu" in world.condition("Degraded")["message"]
    assert world.capacity() == 2
    world.settle(LONG)
    assert world.sizes() == {str(PARSER.spec["image"]): 2}


def test_in_place_needs_no_free_node() -> None:
    world = World(nodes=2)
    world.apply(PARSER.in_place())
    world.settle(LONG)
    world.apply(NEXT.in_place())
    world.settle(LONG)
    assert world.sizes() == {str(NEXT.spec["image"]): 2}
    assert world.condition("Ready")["status"] == "True"


def test_an_evicted_pod_that_stays_as_an_object_holds_nothing_up() -> None:
    world = World()
    world.apply(PARSER.in_place())
    world.settle(LONG)
    evicted = world.cluster.of_kind(POD)[0]
    gone = {"phase": "Failed", "reason": "Evicted", "conditions": []}
    world.cluster.edit(ref_of(evicted), {"status": gone})
    world.settle(LONG)
    assert world.condition("Degraded")["status"] == "False"
    world.apply(NEXT.in_place())
    world.settle(LONG)
    assert world.sizes() == {str(NEXT.spec["image"]): 2}


def test_scaling_does_not_make_ready_pods_look_away() -> None:
    world = a_settled_world()
    world.apply(PARSER.with_replicas(1))
    seen = []
    while world.step():
        seen.append(world.condition("Ready")["status"])
    assert set(seen) == {"True"}


def test_events_tell_each_change_once() -> None:
    world = a_settled_world()
    told = [event["message"] for event in world.cluster.of_kind(EVENT)]
    assert sorted(told) == [
        "Progressing is False: revision 1 serves",
        "Progressing is True: 0 of 2 pods of revision 1 are available",
        "Ready is True: 2 of 2 pods are available",
    ]
