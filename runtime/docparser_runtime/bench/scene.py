"""A decoder of random weights at real size, and sequences in the middle of their work."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from docparser_runtime.engine.gpu.ops.plain import rotary_table
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import BLOCK_TOKENS, KvPool, ring_start
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.weights import DecoderWeights

_LOOK_BACK = 1024
_CELL_TOKENS = (128_821, 128_822)
_GUARD = (30, 90)  # tokens in a run, tokens to look back on
_SPREAD_SEED = 7


@dataclass(frozen=True)
class Scene:
    """What a step needs besides its sequences."""

    shape: DecoderShape
    weights: DecoderWeights
    pool: KvPool
    rotary: Tensor

    def windowed(self, window: int | None) -> "Scene":
        """Return the scene with an attention window."""
        return replace(self, shape=replace(self.shape, window=window))


def scene(weights: DecoderWeights, shape: DecoderShape, blocks: int, positions: int) -> Scene:
    """Return a scene with a pool of `blocks` random blocks."""
    device = weights.embed.device
    pool = KvPool.allocate(shape, blocks, device, weights.embed.dtype)
    pool.k.normal_()
    pool.v.normal_()
    return Scene(
        shape, weights, pool, rotary_table(positions, shape.head_dim, shape.rope_theta, device)
    )


def sequences(
    at: Scene, batch: int, reference: int, generated: int = 0, room: int = 0
) -> StepState:
    """Return `batch` sequences with blocks all over the pool, each about to take a token.

    There is room for `room` more. With a window, `generated` tokens are in its ring; else they
    follow the reference.
    """
    window = at.shape.window
    rows = ring_start(reference) + window if window else reference + generated + room
    columns = -(-rows // BLOCK_TOKENS) + 1
    device = at.pool.k.device
    state = StepState.empty(batch, columns, _LOOK_BACK, torch.tensor(_CELL_TOKENS), device)
    generator = torch.Generator(device=device).manual_seed(_SPREAD_SEED)
    owned = torch.randperm(at.pool.blocks - 1, generator=generator, device=device) + 1
    # Blocks come again where the pool is smaller than all sequences together.
    owned = owned.repeat(-(-batch * columns // owned.numel()))[: batch * columns]
    state.block_tables.copy_(owned.view(batch, columns))
    state.tokens.random_(0, at.shape.vocab, generator=generator)
    state.positions.fill_(reference + generated - 1)
    newest = reference + generated - 1
    if window:
        state.reference_lens.fill_(reference)
        state.ring_lens.fill_(min(generated, window))
        newest = ring_start(reference) + (generated - 1) % window
    else:
        state.reference_lens.fill_(reference + generated)
    blocks = state.block_tables[:, newest // BLOCK_TOKENS].long()
    state.slots.copy_(blocks * BLOCK_TOKENS + newest % BLOCK_TOKENS)
    state.sizes.fill_(_GUARD[0])
    state.windows.fill_(_GUARD[1])
    return state
