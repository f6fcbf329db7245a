"""Whether the model, its cache and its work fit into the GPUs, as a condition. Pure."""

from typing import Final

from docparser_api.deployment import DocParserDeployment
from docparser_api.model_sizes import Family
from docparser_api.quantity import whole_number
from docparser_api.runtime import RuntimeConfig
from docparser_api.status import ConditionType, Reason
from docparser_api.vram import Plan as MemoryPlan
from docparser_api.vram import plan
from docparser_api.vram_demand import Demand, engine_demand

from docparser_operator.finding import Finding
from docparser_operator.gpu_memory import Device, smallest_device
from docparser_operator.plan import Plan
from docparser_operator.revisions import Revision

_KIND: Final = ConditionType.FITS_GPU
_GIB: Final = 1024**3


def fits_gpu(parser: DocParserDeployment, planned: Plan) -> Finding | None:
    """Return whether what the target needs fits into a GPU; None if its engine needs none."""
    family = _family(planned.target)
    if family is None:
        return None
    device = _device(parser, planned)
    if device is None:
        words = (
            "no node on which these pods may run tells how much memory its GPUs have (label "
            "nvidia.com/gpu.memory, of GPU feature discovery); say it as spec.gpuMemory"
        )
        return Finding(_KIND, "Unknown", Reason.GPU_MEMORY_UNKNOWN, words)
    config = RuntimeConfig.model_validate(planned.target.shape.get("runtime", {}))
    demand = engine_demand(family, device.memory_bytes, config.max_concurrency)
    outcome = plan(demand)
    if outcome.fits:
        return Finding(_KIND, "True", Reason.FITS, _fit(demand, outcome, device))
    return Finding(_KIND, "False", Reason.DOES_NOT_FIT, _misfit(demand, outcome, device))


def _family(revision: Revision) -> Family | None:
    engine = revision.shape.get("model", {}).get("engine")
    return Family(engine) if engine in set(Family) else None


def _device(parser: DocParserDeployment, planned: Plan) -> Device | None:
    if parser.spec.gpu_memory is not None:
        return Device(None, whole_number(parser.spec.gpu_memory))
    capacity = planned.around.capacity
    return smallest_device(planned.target.template, capacity) if capacity else None


def _fit(demand: Demand, outcome: MemoryPlan, device: Device) -> str:
    return (
        f"{_subject(demand, outcome)}; {_place(device)}, where "
        f"up to {outcome.max_concurrency} pages at once would fit"
    )


def _misfit(demand: Demand, outcome: MemoryPlan, device: Device) -> str:
    words = f"{_subject(demand, outcome)}, but {_place(device)}; "
    if outcome.max_concurrency:
        return words + f"set spec.runtime.maxConcurrency to {outcome.max_concurrency} or less"
    return words + "not even one page would fit: choose nodes with larger GPUs"


def _subject(demand: Demand, outcome: MemoryPlan) -> str:
    items = outcome.items
    activations = items.vision_activations + items.prefill_activations
    rest = items.context + items.workspace + items.sampling
    return (
        f"{demand.concurrency} pages at once need a GPU of {_gib(outcome.needed_device_bytes)} "
        f"(weights {_gib(items.weights)}, keys and values {_gib(items.kv_cache)}, activations "
        f"{_gib(activations)}, other {_gib(rest)}, and {demand.reserve_percent} % that stay free)"
    )


def _place(device: Device) -> str:
    memory = _gib(device.memory_bytes)
    if device.node is None:
        return f"it has {memory} by spec.gpuMemory"
    return f"the smallest, of node {device.node}, has {memory}"


def _gib(count: int) -> str:
    return f"{count / _GIB:.1f} GiB"
