"""How many more pods find free GPUs."""

from typing import Any

import pytest
from docparser_operator.capacity import (
    capacity_of,
    devices,
    fits_somewhere,
    fitting_pods,
    gives_room,
)
from docparser_operator.kinds import Manifest

GPU, MIG = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb"
READY = [{"type": "Ready", "status": "True"}]
NOT_READY = [{"type": "Ready", "status": "False"}]
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def node(name: str = "a", **given: Any) -> Manifest:
    """Return a ready node with four GPUs, unless said otherwise."""
    status = {"allocatable": given.pop("allocatable", {GPU: "4"})}
    return {
        "metadata": {"name": name, "labels": given.pop("labels", {})},
        "spec": given.pop("spec", {}),
        "status": {**status, "conditions": given.pop("conditions", READY)},
    }


def pod(
    node_name: str | None = "a", count: int = 1, *, device: str = GPU, **given: Any
) -> Manifest:
    limits = {device: str(count), "cpu": "8", "memory": "1Gi"}
    spec = {"containers": [{"resources": {"limits": limits}}], "nodeName": node_name}
    return {"metadata": given.get("metadata", {}), "spec": spec, "status": given.get("status", {})}


def template(count: int = 1, *, device: str = GPU, **spec: Any) -> Manifest:
    return {"spec": {**pod(None, count, device=device)["spec"], **spec}}


def test_devices_are_resources_with_a_domain_of_all_containers() -> None:
    one = {"resources": {"limits": {GPU: "2", MIG: 1, "cpu": "4"}}}
    assert devices({"containers": [one, {"resources": {"limits": {GPU: 1}}}, {}]}) == {
        GPU: 3,
        MIG: 1,
    }


def test_without_gpus_or_a_view_of_them_nothing_is_counted() -> None:
    assert fitting_pods(template(0), capacity_of([node()], [])) is None
    assert fitting_pods(template(), None) is None


TAKEN = {
    "nothing runs": ([], 4),
    "pods hold theirs": ([pod(), pod(count=2)], 1),
    "a pod that shuts down still holds its own": ([pod(metadata={"deletionTimestamp": "x"})], 3),
    "a pod that has ended holds none": (
        [pod(status={"phase": "Succeeded"}), pod(status={"phase": "Failed"})],
        4,
    ),
    "a pod without a node holds none": ([pod(None)], 4),
    "a pod of another node does not matter": ([pod("b")], 4),
    "another device does not matter": ([pod(device=MIG)], 4),
    "more is taken than there is, since a GPU broke": ([pod(count=6)], 0),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_pods_have_taken_is_not_free(name: str) -> None:
    pods, fitting = TAKEN[name]
    assert fitting_pods(template(), capacity_of([node()], pods)) == fitting


NODES: dict[str, tuple[list[Manifest], Manifest, int]] = {
    "all nodes count": ([node("a"), node("b")], template(), 8),
    "a pod takes its GPUs from one node": ([node("a"), node("b")], template(3), 2),
    "a pod that needs too many fits nowhere": ([node("a"), node("b")], template(5), 0),
    "a slice of a GPU has a name of its own": (
        [node(allocatable={MIG: "7", GPU: "0"})],
        template(device=MIG),
        7,
    ),
    "thousands are written as k": ([node(allocatable={GPU: "2k"})], template(), 2000),
    "a node that is not ready": (
        [node(conditions=[{"type": "Ready", "status": "False"}])],
        template(),
        0,
    ),
    "a node of which nothing is heard": ([node(conditions=[])], template(), 0),
    "a node that is cordoned": ([node(spec={"unschedulable": True})], template(), 0),
    "a node without the label that is asked for": (
        [node()],
        template(nodeSelector={"gpu": "a100"}),
        0,
    ),
    "a node with that label": (
        [node(labels={"gpu": "a100", "zone": "1"})],
        template(nodeSelector={"gpu": "a100"}),
        4,
    ),
}


@pytest.mark.parametrize("name", NODES)
def test_pods_fit_on_nodes_that_admit_them(name: str) -> None:
    nodes, wanted, fitting = NODES[name]
    assert fitting_pods(wanted, capacity_of(nodes, [])) == fitting


TAINTS: dict[str, tuple[dict[str, str], dict[str, str] | None, bool]] = {
    "not tolerated": (TAINT, None, False),
    "tolerated by value": (TAINT, {"key": "gpu", "value": "yes"}, True),
    "another value": (TAINT, {"key": "gpu", "value": "no"}, False),
    "a value is asked for that the taint lacks": (
        {"key": "gpu", "effect": "NoExecute"},
        {"key": "gpu", "value": "yes"},
        False,
    ),
    "a taint without a value": ({"key": "gpu", "effect": "NoExecute"}, {"key": "gpu"}, True),
    "whatever its value": (TAINT, {"key": "gpu", "operator": "Exists"}, True),
    "whatever its key": (TAINT, {"operator": "Exists"}, True),
    "another key": (TAINT, {"key": "disk", "operator": "Exists"}, False),
    "the same effect": (TAINT, {"key": "gpu", "value": "yes", "effect": "NoSchedule"}, True),
    "another effect": (TAINT, {"key": "gpu", "value": "yes", "effect": "NoExecute"}, False),
    "a taint that only discourages": ({"key": "gpu", "effect": "PreferNoSchedule"}, None, True),
}


@pytest.mark.parametrize("name", TAINTS)
def test_taints_keep_pods_off_that_do_not_tolerate_them(name: str) -> None:
    taint, toleration, admitted = TAINTS[name]
    capacity = capacity_of([node(spec={"taints": [taint]})], [])
    wanted = template(tolerations=[toleration] if toleration else [])
    assert fitting_pods(wanted, capacity) == (4 if admitted else 0)
    assert fits_somewhere(wanted, capacity) is admitted


def test_a_pod_fits_somewhere_though_all_is_taken() -> None:
    capacity = capacity_of([node()], [pod(count=4)])
    assert fits_somewhere(template(4), capacity)
    assert not fits_somewhere(template(5), capacity)


ROOM = {
    "others hold what is wanted": (template(), [template()], True),
    "others hold none": (template(), [template(0)], False),
    "others hold another device": (template(), [template(device=MIG)], False),
    "there are no others": (template(), [], False),
    "no node could ever take it": (template(64), [template()], False),
}


@pytest.mark.parametrize("name", ROOM)
def test_only_pods_with_devices_that_are_wanted_give_room(name: str) -> None:
    wanted, others, room = ROOM[name]
    assert gives_room(wanted, others, capacity_of([node()], [pod(count=4)])) is room
    assert not gives_room(wanted, others, None)
