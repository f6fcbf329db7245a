"""A decode step from one token to the next, in the plain way: on any device, for any batch."""

from typing import Protocol

import torch
from torch import Tensor

from docparser_runtime.engine.gpu.decoder import Decoder, Step
from docparser_runtime.engine.gpu.ops.select import Ops
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import BLOCK_TOKENS


class Stepper(Protocol):
    """Decode steps over the rows of a `StepState` that it was made with."""

    def run(self, batch: int) -> int:
        """Write one more token for each of the first `batch` rows; they move on by it.

        Returns:
            How many rows were computed: those and maybe some that nobody owns.
        """
        ...


class PlainStepper:
    """Steps that launch each operation by itself.

    Args:
        decoder: what computes.
        state: the rows.
        ops: its operations.
        run: tokens in a run that must not come twice.
    """

    def __init__(self, decoder: Decoder, state: StepState, ops: Ops, run: int) -> None:
        self._decoder = decoder
        self._state = state
        self._ops = ops
        self._run = run

    @torch.inference_mode()
    def run(self, batch: int) -> int:
        """Write one more token for each of the first `batch` rows; return how many these are."""
        state = self._state.rows(batch)
        logits = self._decoder.step(
            Step(
                tokens=state.tokens,
                positions=state.positions,
                slots=state.slots,
                block_tables=state.block_tables,
                reference_lens=state.reference_lens,
                ring_lens=state.ring_lens,
            )
        ).float()
        self._ops.ban_ngrams(logits, state.history, state.windows, self._run, state.allowed)
        noise = noise_for(state.temperatures, state.seeds, state.positions, logits.shape[1])
        chosen = self._ops.sample(logits, state.temperatures, noise)
        advance(state, chosen, self._decoder.shape.window)
        return batch


def noise_for(temperatures: Tensor, seeds: Tensor, positions: Tensor, vocabulary: int) -> Tensor:
    """Return uniform noise [B, vocabulary] that depends on each row's seed and position only.

    Rows without a temperature need none, and get one half.
    """
    noise = torch.full((len(seeds), 1), 0.5, device=seeds.device)
    if not bool((temperatures > 0).any()):
        return noise
    noise = noise.repeat(1, vocabulary)
    for row, (seed, position) in enumerate(zip(seeds.tolist(), positions.tolist(), strict=True)):
        if temperatures[row] > 0:
            # Apart by a large odd number, so that neighbours in one sequence are none in another.
            mixed = (seed * 0x9E3779B97F4A7C15 + position) % 2**63
            generator = torch.Generator(seeds.device).manual_seed(mixed)
            noise[row].uniform_(1e-7, 1 - 1e-7, generator=generator)
    return noise


def advance(state: StepState, chosen: Tensor, window: int | None) -> None:
    """Move every row that somebody owns on by the token `chosen` [B] for it."""
    active = state.active > 0
    state.sampled.copy_(chosen)
    state.tokens.copy_(torch.where(active, chosen, state.tokens))
    state.positions.add_(state.active)
    shifted = torch.cat((state.history[:, 1:], chosen[:, None].to(state.history.dtype)), dim=1)
    state.history.copy_(torch.where(active[:, None], shifted, state.history))
    if window is None:
        state.reference_lens.add_(state.active)
        rows = state.positions
    else:
        state.ring_lens.add_(state.active).clamp_(max=window)
        starts = (state.reference_lens + BLOCK_TOKENS - 1) // BLOCK_TOKENS * BLOCK_TOKENS
        rows = starts + (state.positions - state.reference_lens) % window
    # A sequence that has written its last token may point behind its blocks; nothing goes there.
    column = (rows // BLOCK_TOKENS).clamp(max=state.block_tables.shape[1] - 1)
    blocks = state.block_tables.gather(1, column[:, None].long())[:, 0].long()
    state.slots.copy_(torch.where(active, blocks * BLOCK_TOKENS + rows % BLOCK_TOKENS, 0))
