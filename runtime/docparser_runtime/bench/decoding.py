# mypy: disable-error-code="no-untyped-call"
"""Decode steps: by batch and context against the roofline, and full, windowed, sparse attention."""

from collections.abc import Sequence
from typing import Any

import torch

from docparser_runtime.bench.roofline import step_seconds
from docparser_runtime.bench.scene import Scene, sequences
from docparser_runtime.bench.timing import replayed, seconds_of
from docparser_runtime.engine.gpu.graphs import recorded
from docparser_runtime.engine.gpu.ops.batch_step import BatchStep
from docparser_runtime.engine.gpu.ops.single_step import SingleStep, fits
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import BLOCK_TOKENS
from docparser_runtime.engine.gpu.sparse import SparseSizes

WINDOW = 128
PAGE_TOKENS = 273
_ROUNDS = 20
_MODES = ("full", "window", "sparse")


def step_rows(
    at: Scene, cases: Sequence[tuple[int, int]], bandwidth: float
) -> list[dict[str, Any]]:
    """Measure a step for each batch and context; a sequence sees all its rows."""
    found = []
    for batch, context in cases:
        seconds = step_time(at, sequences(at, batch, context), batch)
        floor = step_seconds(at.shape, batch, context, bandwidth)
        found.append(
            {
                "batch": batch,
                "context": context,
                "step_ms": seconds * 1000,
                "roofline_ms": floor * 1000,
                "times_roofline": seconds / floor,
                "tokens_per_second": batch / seconds,
            }
        )
    return found


def step_time(
    at: Scene, state: StepState, batch: int, sparse: tuple[SparseSizes, int, int] | None = None
) -> float:
    """Return how long a step takes, as a CUDA graph.

    Args:
        at: decoder and pool.
        state: of the sequences.
        batch: how many there are.
        sparse: sizes, first candidate and number of candidates of each sequence.
    """
    if batch == 1 and sparse is None and fits(at.shape):
        single = SingleStep(at.shape, at.weights, at.pool, at.rotary)
        return seconds_of(recorded(single, state).replay, _ROUNDS)
    step = BatchStep(
        at.shape, at.weights, at.pool, at.rotary, batch, sparse=sparse[0] if sparse else None
    )
    if sparse and step.sparse:
        step.sparse.firsts.fill_(sparse[1])
        step.sparse.counts.fill_(sparse[2])
        step.sparse.summarise(state.block_tables.unique().to(torch.int32))
    return seconds_of(recorded(step, state).replay, _ROUNDS)


def attention_time(at: Scene, mode: str, batch: int, reference: int, generated: int) -> float:
    """Return how long attention of one layer takes, the mean over all layers."""
    here = at.windowed(None if mode == "full" else WINDOW)
    state = sequences(here, batch, reference, generated)
    sparse = page_gate(reference) if mode == "sparse" else None
    step = BatchStep(
        here.shape,
        here.weights,
        here.pool,
        here.rotary,
        batch,
        sparse=sparse[0] if sparse else None,
    )
    if sparse and step.sparse:
        step.sparse.firsts.fill_(sparse[1])
        step.sparse.counts.fill_(sparse[2])
        step.sparse.summarise(state.block_tables.unique().to(torch.int32))

    def all_layers() -> None:
        for layer in range(here.shape.layers):
            step.attend(layer, state)

    return replayed(all_layers, _ROUNDS) / here.shape.layers


def page_gate(reference: int) -> tuple[SparseSizes, int, int]:
    """Return sizes and candidates of a sequence that writes the page in the middle."""
    page = reference // PAGE_TOKENS // 2
    first = page * PAGE_TOKENS // BLOCK_TOKENS
    last = (page + 1) * PAGE_TOKENS // BLOCK_TOKENS
    return SparseSizes(window=WINDOW), first, last - first + 1


def modes(
    at: Scene, batch: int, reference: int, generated: int, *, whole_step: bool
) -> dict[str, Any]:
    """Measure attention alone, or whole steps, in all three modes; times in milliseconds."""
    times = {}
    for mode in _MODES:
        if whole_step:
            here = at.windowed(None if mode == "full" else WINDOW)
            state = sequences(here, batch, reference, generated)
            sparse = page_gate(reference) if mode == "sparse" else None
            times[mode] = step_time(here, state, batch, sparse) * 1000
        else:
            times[mode] = attention_time(at, mode, batch, reference, generated) * 1000
    return {
        "batch": batch,
        "reference": reference,
        "generated": generated,
        "what": "step" if whole_step else "attention of a layer",
        **{f"{mode}_ms": value for mode, value in times.items()},
        "sparse_against_full": times["full"] / times["sparse"],
        "sparse_against_window": times["window"] / times["sparse"],
    }
