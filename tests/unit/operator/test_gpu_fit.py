"""Whether a model fits into the GPUs on which its pods may run."""

from dataclasses import replace
from typing import Any

import pytest
from docparser_api.status import Reason
from docparser_operator.capacity import Capacity
from docparser_operator.finding import Finding
from docparser_operator.gpu_fit import fits_gpu
from docparser_operator.gpu_memory import Device, smallest_device
from docparser_operator.kinds import Manifest
from docparser_operator.surroundings import Surroundings
from support.builders import a_parser
from unit.operator.plan_case import NEW, a_plan

MEMORY = "nvidia.com/gpu.memory"
WHOLE, SLICE = "nvidia.com/gpu", "nvidia.com/mig-3g.40gb"


def template(resource: str = WHOLE, **spec: Any) -> Manifest:
    container = {"name": "runtime", "resources": {"limits": {resource: "1"}}}
    return {"spec": {"containers": [container], **spec}}


def node(name: str, resource: str = WHOLE, count: int = 1) -> Manifest:
    return {
        "metadata": {"name": name, "labels": {}},
        "spec": {},
        "status": {
            "allocatable": {resource: str(count)},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def labelled(manifest: Manifest, **labels: str) -> Manifest:
    metadata = manifest["metadata"]
    return {**manifest, "metadata": {**metadata, "labels": {**metadata["labels"], **labels}}}


LARGE = labelled(node("large"), **{MEMORY: "81920"})
SMALL = labelled(node("small"), **{MEMORY: "24576"})
SILENT = node("silent")


def found(
    *nodes: Manifest, engine: str = "deepseek-ocr2", concurrency: int = 8, **spec: Any
) -> Finding | None:
    shape = {"model": {"engine": engine}, "runtime": {"maxConcurrency": concurrency}}
    target = replace(NEW, shape=shape, template=template())
    around = Surroundings(capacity=Capacity(nodes, {}) if nodes else None)
    return fits_gpu(a_parser().with_spec(**spec).built(), a_plan(target=target, around=around))


def test_an_engine_without_a_gpu_has_no_such_condition() -> None:
    assert found(LARGE, engine="rapidocr") is None
    assert found(LARGE, engine="fake") is None


@pytest.mark.parametrize("engine", ["deepseek-ocr2", "unlimited-ocr"])
def test_what_fits_is_told_with_its_numbers(engine: str) -> None:
    finding = found(LARGE, engine=engine)
    assert finding is not None
    assert (finding.status, finding.reason) == ("True", Reason.FITS)
    for word in ("8 pages", "weights 6.", "node large, has 80.0 GiB, where", "25 %"):
        assert word in finding.message


def test_the_smallest_gpu_decides_and_the_way_out_is_named() -> None:
    finding = found(LARGE, SMALL, concurrency=64)
    assert finding is not None
    assert (finding.status, finding.reason) == ("False", Reason.DOES_NOT_FIT)
    assert "node small, has 24.0 GiB" in finding.message
    most = int(finding.message.rpartition("maxConcurrency to ")[2].split()[0])
    assert 1 <= most < 64
    better, worse = (found(SMALL, concurrency=n) for n in (most, most + 1))
    assert better is not None
    assert worse is not None
    assert (better.status, worse.status) == ("True", "False")


def test_a_gpu_that_is_too_small_for_one_page() -> None:
    finding = found(labelled(node("tiny"), **{MEMORY: "8192"}))
    assert finding is not None
    assert finding.message.endswith("not even one page would fit: choose nodes with larger GPUs")


@pytest.mark.parametrize("nodes", [(), (SILENT,)])
def test_memory_that_nobody_tells_is_unknown(nodes: tuple[Manifest, ...]) -> None:
    finding = found(*nodes)
    assert finding is not None
    assert (finding.status, finding.reason) == ("Unknown", Reason.GPU_MEMORY_UNKNOWN)
    assert "spec.gpuMemory" in finding.message


def test_spec_tells_what_nodes_do_not_and_comes_first() -> None:
    for nodes in ((), (SILENT,), (LARGE,)):
        finding = found(*nodes, concurrency=64, gpuMemory="24Gi")
        assert finding is not None
        assert finding.status == "False"
        assert "it has 24.0 GiB by spec.gpuMemory" in finding.message


DEVICES: dict[str, tuple[Manifest, list[Manifest], Device | None]] = {
    "the smallest": (template(), [LARGE, SMALL], Device("small", 24 * 1024**3)),
    "only where pods may run": (
        template(nodeSelector={"pool": "big"}),
        [labelled(LARGE, pool="big"), SMALL],
        Device("large", 80 * 1024**3),
    ),
    "only where there are some": (
        template(),
        [LARGE, labelled(node("empty", count=0), **{MEMORY: "1024"})],
        Device("large", 80 * 1024**3),
    ),
    "a slice whose label tells": (
        template(SLICE),
        [labelled(node("cut", SLICE), **{f"{SLICE}.memory": "40192", MEMORY: "81920"})],
        Device("cut", 40192 * 1024**2),
    ),
    "a slice by its name": (
        template(SLICE), [node("cut", SLICE)], Device("cut", 36 * 10**9)
    ),
    "no number": (template(), [labelled(SILENT, **{MEMORY: "much"})], None),
    "no GPU is asked for": (template("ephemeral-storage"), [LARGE], None),
}  # fmt: skip


@pytest.mark.parametrize("name", DEVICES)
def test_which_device_is_the_smallest(name: str) -> None:
    asked, nodes, device = DEVICES[name]
    assert smallest_device(asked, Capacity(tuple(nodes), {})) == device
