"""How many sequences and blocks of keys and values an engine takes on."""

from dataclasses import dataclass

import torch
from docparser_api.model_sizes import Family
from docparser_api.vram import plan
from docparser_api.vram_demand import engine_demand

from docparser_runtime.engine.base import EngineLoadError
from docparser_runtime.engine.generation.kv_blocks import blocks_for

_GIB = 1024**3


@dataclass(frozen=True)
class Sizes:
    """What is set aside when an engine is loaded.

    Attributes:
        sequences: pages that are in work at once.
        blocks: blocks of keys and values, without the one that belongs to nobody.
        planned_bytes: most memory that the engine means to use; None where it does not plan.
    """

    sequences: int
    blocks: int
    planned_bytes: int | None = None


def sizes_for(family: Family, device: torch.device, sequences: int, max_positions: int) -> Sizes:
    """Return the sizes of an engine that is to read `sequences` pages at once on `device`.

    Args:
        family: the model.
        device: a CPU's memory is not planned.
        sequences: pages.
        max_positions: most tokens of a page's prompt and text.

    Raises:
        EngineLoadError: they cannot fit; says what could.
    """
    if device.type != "cuda":
        return Sizes(sequences, sequences * blocks_for(max_positions))
    total = torch.cuda.get_device_properties(device).total_memory
    return planned_sizes(family, total, sequences, max_positions)


def planned_sizes(family: Family, device_bytes: int, sequences: int, max_positions: int) -> Sizes:
    """Return the sizes of an engine on a GPU with `device_bytes` of memory.

    Raises:
        EngineLoadError: they cannot fit; says what could.
    """
    demand = engine_demand(family, device_bytes, sequences)
    outcome = plan(demand)
    if not outcome.fits:
        raise EngineLoadError(
            f"{sequences} pages at once do not fit: the GPU has {device_bytes / _GIB:.1f} GiB, "
            f"{outcome.needed_device_bytes / _GIB:.1f} GiB are needed; "
            f"it can read {outcome.max_concurrency} at once"
        )
    # A page may ask for a longer text than others, if there is memory.
    longest = min(blocks_for(max_positions), outcome.kv_blocks)
    planned = outcome.items.total - outcome.items.reserve
    return Sizes(sequences, max(sequences * outcome.sequence_blocks, longest), planned)
