# mypy: disable-error-code="no-untyped-call"
"""CUDA graphs of decode steps, one for each of a set of batch sizes."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from docparser_runtime.engine.gpu.ops.batch_step import BatchStep
from docparser_runtime.engine.gpu.ops.single_step import SingleStep, fits
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.sparse import SparseSizes
from docparser_runtime.engine.gpu.weights import DecoderWeights


class StepGraphs:
    """Decode steps of the first rows of one `StepState`, recorded once and replayed."""

    def __init__(  # noqa: PLR0913 - what a step needs
        self,
        shape: DecoderShape,
        weights: DecoderWeights,
        pool: KvPool,
        rotary: Tensor,
        state: StepState,
        sizes: Sequence[int],
        *,
        sparse: SparseSizes | None = None,
    ) -> None:
        """Record a step for each batch size in `sizes`; `state` has as many rows as the largest."""
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self.steps: dict[int, SingleStep | BatchStep] = {}
        for batch in sorted(sizes):
            single = batch == 1 and sparse is None and fits(shape)
            single = single and weights.embed.dtype == pool.k.dtype == torch.bfloat16
            step = (
                SingleStep(shape, weights, pool, rotary)
                if single
                else BatchStep(shape, weights, pool, rotary, batch, sparse=sparse)
            )
            self.steps[batch] = step
            self._graphs[batch] = recorded(step, state.rows(batch))

    def run(self, batch: int) -> int:
        """Take the next token of the first `batch` rows; return how many rows the graph has.

        Raises:
            ValueError: no graph is large enough.
        """
        size = min((size for size in self._graphs if size >= batch), default=0)
        if not size:
            raise ValueError(f"no graph of {batch} rows")
        self._graphs[size].replay()
        return size


def recorded(step: Callable[[StepState], None], state: StepState) -> torch.cuda.CUDAGraph:
    """Return a graph of `step` on `state`, whose rows stay as they are."""
    active = state.active.clone()
    state.active.zero_()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step(state)  # compiles what is not yet compiled
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(state)
    state.active.copy_(active)
    return graph
