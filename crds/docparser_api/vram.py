"""Whether a model, its cache and its work fit into a GPU, and how much of it at once.

Pure arithmetic that operator and engine share: the operator refuses what cannot fit before it
starts a pod, the engine sizes its pool from the same numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from docparser_api.model_sizes import Family, KvDtype
from docparser_api.vram_demand import (
    KV_BLOCK_TOKENS,
    PROMPT_TEXT_TOKENS,
    RING_TOKENS,
    Attention,
    Demand,
    Items,
    block_bytes,
    items_of,
    sampling_bytes,
    sequence_blocks,
    sequence_bytes,
)


class Shortage(StrEnum):
    """Why something does not fit."""

    MEMORY = "memory"
    POSITIONS = "positions"


@dataclass(frozen=True)
class Plan:
    """How a demand meets a GPU.

    Attributes:
        shortage: what is missing; None if all fits.
        items: the demand's memory, piece by piece.
        sequence_blocks: blocks of keys and values that one page or window takes.
        kv_blocks: blocks that there is room for at the demanded concurrency, 0 or more. The one
            that takes padding comes on top, it is part of the workspace.
        max_concurrency: most pages or windows at once; 0 if not even one fits.
        max_pages_per_window: most pages of a window at the demanded concurrency; 0 if none.
        needed_device_bytes: size of the smallest GPU whose memory is enough.
        suggestion: the nearest demand that fits; None if this one fits or none near it does.
    """

    shortage: Shortage | None
    items: Items
    sequence_blocks: int
    kv_blocks: int
    max_concurrency: int
    max_pages_per_window: int
    needed_device_bytes: int
    suggestion: Demand | None

    @property
    def fits(self) -> bool:
        """Whether the demand can run."""
        return self.shortage is None


def plan(demand: Demand) -> Plan:
    """Return how `demand` meets its GPU."""
    shortage = _shortage(demand)
    kv_bytes = _free_bytes(demand) - demand.concurrency * sampling_bytes(demand)
    return Plan(
        shortage=shortage,
        items=items_of(demand),
        sequence_blocks=sequence_blocks(demand),
        kv_blocks=max(0, kv_bytes) // block_bytes(demand),
        max_concurrency=_max_concurrency(demand),
        max_pages_per_window=_max_pages(demand),
        needed_device_bytes=_needed_device_bytes(demand),
        suggestion=_suggestion(demand) if shortage else None,
    )


def _free_bytes(demand: Demand) -> int:
    """Return what is left for sequences; negative if even the model does not fit."""
    items = items_of(demand)
    return demand.device_bytes - (items.total - items.sampling - items.kv_cache)


def _needed_device_bytes(demand: Demand) -> int:
    items = items_of(demand)
    used = items.total - items.reserve
    # The reserve is a share of the GPU and is rounded down.
    return (used - 1) * 100 // (100 - demand.reserve_percent) + 1


def _has_positions(demand: Demand) -> bool:
    # Where each page has its own frame of positions, they have no common end.
    if demand.attention is Attention.SPARSE_REFERENCE:
        return True
    return demand.prompt_tokens + demand.max_new_tokens <= demand.model.max_positions


def _shortage(demand: Demand) -> Shortage | None:
    if not _has_positions(demand):
        return Shortage.POSITIONS
    if _max_concurrency(demand) < demand.concurrency:
        return Shortage.MEMORY
    return None


def _max_concurrency(demand: Demand) -> int:
    if not _has_positions(demand):
        return 0
    return max(0, _free_bytes(demand)) // sequence_bytes(demand)


def _max_pages(demand: Demand) -> int:
    per_sequence = _free_bytes(demand) // demand.concurrency - sampling_bytes(demand)
    tokens = per_sequence // block_bytes(demand) * KV_BLOCK_TOKENS
    tokens -= demand.max_new_tokens if demand.attention is Attention.FULL else RING_TOKENS
    if demand.attention is not Attention.SPARSE_REFERENCE:
        tokens = min(tokens, demand.model.max_positions - demand.max_new_tokens)
    pages = max(0, tokens - PROMPT_TEXT_TOKENS) // demand.page_tokens
    is_single = demand.family is Family.DEEPSEEK_OCR_2 or demand.max_tiles > 0
    return min(pages, 1) if is_single else pages


def _suggestion(demand: Demand) -> Demand | None:
    for milder in _milder(demand):
        concurrency = min(milder.concurrency, _max_concurrency(milder))
        if concurrency:
            return replace(milder, concurrency=concurrency)
    return None


def _milder(demand: Demand) -> Iterator[Demand]:
    """Yield demands that ask for less and less, beginning with the same."""
    yield demand
    if demand.pages_per_window > 1:
        pages = _max_pages(replace(demand, concurrency=1))
        yield replace(demand, pages_per_window=max(1, min(pages, demand.pages_per_window)))
    for pages in range(demand.encoder_pages - 1, 0, -1):
        yield replace(demand, encoder_pages=pages)
    least = replace(demand, encoder_pages=1, pages_per_window=1)
    yield least
    for tiles in range(demand.max_tiles - 1, -1, -1):
        if tiles != 1:
            yield replace(least, max_tiles=tiles)
    least = replace(least, max_tiles=0)
    yield replace(least, kv_dtype=KvDtype.FP8)
    room = demand.model.max_positions - least.prompt_tokens
    if room < demand.max_new_tokens:
        yield replace(least, max_new_tokens=room, kv_dtype=KvDtype.FP8)
