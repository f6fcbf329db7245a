from decimal import Decimal
from typing import Any

import pytest
from docparser_kubectl.capacity import requests, room
from docparser_kubectl.placement import obstacle
from docparser_kubectl.quantities import bytes_in_words, number
from docparser_operator.kinds import Manifest

GPU = "nvidia.com/gpu"
QUANTITIES = {
    "2": "2",
    "500m": "0.5",
    "1.5": "1.5",
    "4Gi": str(4 * 1024**3),
    "1k": "1000",
    "2e3": "2000",
    "1E": str(10**18),
    "1Ei": str(2**60),
    "100n": "0.0000001",
}
WORDS = [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2 * 1024**3, "2.0 GiB")]


@pytest.mark.parametrize("text", QUANTITIES)
def test_quantities(text: str) -> None:
    assert number(text) == Decimal(QUANTITIES[text])


@pytest.mark.parametrize("text", ["", "x", "1 Gi", "Gi"])
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(ValueError, match="no quantity"):
        number(text)


@pytest.mark.parametrize(("count", "words"), WORDS)
def test_bytes_in_words(count: int, words: str) -> None:
    assert bytes_in_words(count) == words


def node(name: str = "n1", gpus: int = 4, **values: Any) -> Manifest:
    has = {"cpu": "8", "memory": "32Gi", "pods": "110", GPU: str(gpus)}
    return {
        "metadata": {"name": name, "labels": {"zone": "a", "gen": "7"}},
        "spec": values,
        "status": {"allocatable": has},
    }


def pod_spec(gpus: int = 1, **values: Any) -> Manifest:
    limits = {"cpu": "1", "memory": "4Gi", GPU: str(gpus)}
    return {"containers": [{"resources": {"limits": limits}}], **values}


def running(gpus: int, on: str = "n1", phase: str = "Running") -> Manifest:
    return {"spec": {**pod_spec(gpus), "nodeName": on}, "status": {"phase": phase}}


TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
SOFT = {"key": "gpu", "effect": "PreferNoSchedule"}
TOLERANT = {"tolerations": [{"key": "gpu", "value": "yes"}]}
TOLERANT_OF_ALL = {"tolerations": [{"operator": "Exists"}]}
OTHER_EFFECT = {"tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoExecute"}]}


def affine(key: str, operator: str, *values: str) -> Manifest:
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    required = {"nodeSelectorTerms": [term]}
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    }


PLACES: dict[str, tuple[Manifest, Manifest, str | None]] = {
    "nothing asked": (node(), {}, None),
    "cordoned": (node(unschedulable=True), {}, "is cordoned"),
    "label": (node(), {"nodeSelector": {"zone": "a"}}, None),
    "other label": (node(), {"nodeSelector": {"zone": "b"}}, "lacks the label zone=b"),
    "taint": (node(taints=[TAINT]), {}, "has the taint gpu:NoSchedule"),
    "soft taint": (node(taints=[SOFT]), {}, None),
    "tolerated": (node(taints=[TAINT]), TOLERANT, None),
    "all tolerated": (node(taints=[TAINT]), TOLERANT_OF_ALL, None),
    "another effect": (node(taints=[TAINT]), OTHER_EFFECT, "has the taint gpu:NoSchedule"),
    "in": (node(), affine("zone", "In", "a", "b"), None),
    "not in": (node(), affine("zone", "NotIn", "a"), "does not meet the node affinity"),
    "exists": (node(), affine("zone", "Exists"), None),
    "does not exist": (node(), affine("zone", "DoesNotExist"), "does not meet the node affinity"),
    "greater": (node(), affine("gen", "Gt", "6"), None),
    "less": (node(), affine("gen", "Lt", "7"), "does not meet the node affinity"),
}


@pytest.mark.parametrize("what", PLACES)
def test_whether_a_node_may_run_a_pod(what: str) -> None:
    place, spec, want = PLACES[what]
    assert obstacle(place, spec) == want


def test_a_limit_is_a_request_and_the_largest_initial_container_counts() -> None:
    spec = {
        "containers": [
            {"resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "2", "memory": "1Gi"}}},
            {},
        ],
        "initContainers": [
            {"resources": {"requests": {"cpu": "3"}}},
            {"resources": {"requests": {"cpu": "250m"}}, "restartPolicy": "Always"},
        ],
        "overhead": {"memory": "1Gi"},
    }
    want = {"cpu": Decimal(3), "memory": Decimal(2 * 1024**3), "pods": Decimal(1)}
    assert requests(spec) == want


def test_room_is_what_pods_leave() -> None:
    pods = [running(1), running(2), running(4, phase="Succeeded"), running(4, on="elsewhere")]
    found = room([node(), node("n2", gpus=0)], pods, pod_spec())
    assert (found.now, found.at_all, found.nodes) == (1, 4, 2)
    assert found.free[GPU] == 1
    assert found.obstacles == {f"has 0 {GPU}, a pod needs 1": 1}


def test_memory_and_the_number_of_pods_bound_the_room_too() -> None:
    assert room([node(gpus=64)], [], pod_spec()).now == 8
    crowded = node()
    crowded["status"]["allocatable"]["pods"] = "2"
    assert room([crowded], [], pod_spec()).now == 2


def test_without_nodes_there_is_no_room() -> None:
    found = room([], [], pod_spec())
    assert (found.now, found.at_all, found.free, found.obstacles) == (0, 0, {}, {})
