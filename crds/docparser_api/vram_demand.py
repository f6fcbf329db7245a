"""What a model's work takes of a GPU, piece by piece. Pure arithmetic."""

from dataclasses import dataclass
from enum import StrEnum

from docparser_api.model_sizes import (
    BF16_BYTES,
    FP32_BYTES,
    MODELS,
    Family,
    KvDtype,
    ModelSize,
    most_page_tokens,
)

MOST_NEW_TOKENS = 4096
"""Tokens that engines write for a page when its request names no number."""
KV_BLOCK_TOKENS = 32
"""Tokens whose keys and values are given out together."""
RING_TOKENS = 128
"""Generated tokens that stay visible where attention slides."""
PROMPT_TEXT_TOKENS = 64
"""Room for the words of a prompt; the longest of the published ones has less than 20 tokens."""
CONTEXT_BYTES = 800 * 1024**2
"""CUDA's own memory: context, loaded kernels and libraries."""
WORKSPACE_BYTES = 1024**3
"""Workspaces of matrix products and the pools of captured graphs."""
_PATCH_SIDE = 16
_VISION_HEADS = 12
_VISION_WIDTH = 768


class Attention(StrEnum):
    """What a generated token sees."""

    FULL = "full"
    REFERENCE_SLIDING = "reference-sliding"
    SPARSE_REFERENCE = "sparse-reference"


@dataclass(frozen=True)
class Demand:
    """What is to run on a GPU.

    Attributes:
        family: the model.
        device_bytes: all memory of the GPU.
        concurrency: pages, or windows of pages, that are written at the same time.
        max_new_tokens: most tokens written for one of them.
        max_tiles: most tiles of a page.
        pages_per_window: pages that are read in one go; family A reads one.
        attention: what a generated token sees; family A sees all.
        kv_dtype: how keys and values are kept.
        encoder_pages: pages that the encoder takes at once.
        prefill_tokens: prompt tokens that the decoder takes at once.
        reserve_percent: share of the GPU that stays free.
    """

    family: Family
    device_bytes: int
    concurrency: int = 32
    max_new_tokens: int = MOST_NEW_TOKENS
    max_tiles: int = 6
    pages_per_window: int = 1
    attention: Attention = Attention.FULL
    kv_dtype: KvDtype = KvDtype.BF16
    encoder_pages: int = 4
    prefill_tokens: int = 4096
    reserve_percent: int = 25

    def __post_init__(self) -> None:
        """Refuse what no GPU of any size could run."""
        most_page_tokens(self.family, self.max_tiles)
        counts = (self.concurrency, self.max_new_tokens, self.pages_per_window)
        if min(*counts, self.encoder_pages, self.prefill_tokens) < 1:
            raise ValueError("counts of sequences, tokens and pages are at least 1")
        if not 0 <= self.reserve_percent < 100:  # noqa: PLR2004 - percent
            raise ValueError("the reserve is 0 to 99 percent")
        if self.family is Family.DEEPSEEK_OCR_2 and self.pages_per_window > 1:
            raise ValueError(f"{self.family} reads one page at a time")
        if self.family is Family.DEEPSEEK_OCR_2 and self.attention is not Attention.FULL:
            raise ValueError(f"{self.family} has full attention only")
        if self.pages_per_window > 1 and self.max_tiles:
            raise ValueError("several pages at once are read without tiles")

    @property
    def model(self) -> ModelSize:
        """The model's sizes."""
        return MODELS[self.family]

    @property
    def page_tokens(self) -> int:
        """Most tokens that a page takes."""
        return most_page_tokens(self.family, self.max_tiles)

    @property
    def prompt_tokens(self) -> int:
        """Most tokens of a prompt."""
        return self.pages_per_window * self.page_tokens + PROMPT_TEXT_TOKENS


def engine_demand(family: Family, device_bytes: int, concurrency: int) -> Demand:
    """Return what the engine of a family plans for on a GPU with so much memory."""
    is_full = family is Family.DEEPSEEK_OCR_2
    return Demand(
        family=family,
        device_bytes=device_bytes,
        concurrency=concurrency,
        max_new_tokens=MOST_NEW_TOKENS,
        max_tiles=MODELS[family].most_tiles,
        attention=Attention.FULL if is_full else Attention.REFERENCE_SLIDING,
    )


@dataclass(frozen=True)
class Items:
    """Where the memory goes, in bytes."""

    weights: int
    vision_activations: int
    prefill_activations: int
    context: int
    workspace: int
    sampling: int
    kv_cache: int
    reserve: int

    @property
    def total(self) -> int:
        """All of it, the reserve included."""
        activations = self.vision_activations + self.prefill_activations
        fixed = self.weights + activations + self.context + self.workspace
        return fixed + self.sampling + self.kv_cache + self.reserve


def block_bytes(demand: Demand) -> int:
    """Return the bytes of one block, with its summary where attention is sparse."""
    tokens = KV_BLOCK_TOKENS * demand.model.decoder.kv_bytes_per_token(demand.kv_dtype)
    if demand.attention is not Attention.SPARSE_REFERENCE:
        return tokens
    decoder = demand.model.decoder
    return tokens + decoder.layers * decoder.heads * decoder.head_dim * BF16_BYTES


def sequence_blocks(demand: Demand) -> int:
    """Return the blocks that one page or window takes at its longest."""
    if demand.attention is Attention.FULL:
        return -(-(demand.prompt_tokens + demand.max_new_tokens) // KV_BLOCK_TOKENS)
    return -(-demand.prompt_tokens // KV_BLOCK_TOKENS) + RING_TOKENS // KV_BLOCK_TOKENS


def sequence_bytes(demand: Demand) -> int:
    """Return the bytes that one page or window takes beside the model."""
    return sequence_blocks(demand) * block_bytes(demand) + sampling_bytes(demand)


def sampling_bytes(demand: Demand) -> int:
    """Return the bytes that choosing one sequence's next token takes."""
    # Logits and the probabilities made of them.
    return 2 * FP32_BYTES * demand.model.decoder.vocabulary


def _vision_bytes(demand: Demand) -> int:
    model = demand.model
    views = demand.encoder_pages * _view_bytes(model.view_side)
    tiles = demand.encoder_pages * demand.max_tiles * _view_bytes(model.tile_side)
    # One after the other, so the larger of both counts.
    return max(views, tiles)


def _view_bytes(side: int) -> int:
    """Return the bytes that encoding one square of `side` pixels takes at its peak.

    Twice the position bias of the layers with global attention, and about ten copies of the hidden
    states. For 48 tiles that is 13.9 GB; 13.9 GB were measured besides the weights.
    """
    patches = (side // _PATCH_SIDE) ** 2
    bias = _VISION_HEADS * patches**2 * BF16_BYTES
    return 2 * bias + 10 * patches * _VISION_WIDTH * BF16_BYTES


def _prefill_bytes(demand: Demand) -> int:
    """Return the bytes that a chunk takes in the widest layer: all experts' inputs and outputs."""
    decoder = demand.model.decoder
    routed = decoder.experts_per_token * (3 * decoder.expert_mlp + 2 * decoder.hidden)
    dense = 3 * decoder.dense_mlp
    states = 8 * decoder.hidden
    return demand.prefill_tokens * (max(routed, dense) + states) * BF16_BYTES


def items_of(demand: Demand) -> Items:
    """Return where the memory of `demand` goes."""
    return Items(
        weights=demand.model.weight_bytes,
        vision_activations=_vision_bytes(demand),
        prefill_activations=_prefill_bytes(demand),
        context=CONTEXT_BYTES,
        # One block takes what the padding of a captured graph writes.
        workspace=WORKSPACE_BYTES + block_bytes(demand),
        sampling=demand.concurrency * sampling_bytes(demand),
        kv_cache=demand.concurrency * sequence_blocks(demand) * block_bytes(demand),
        reserve=demand.device_bytes * demand.reserve_percent // 100,
    )
