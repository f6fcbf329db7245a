# mypy: disable-error-code="import-untyped"
"""SR-SWA as a mode of the engine: sizes, summaries of blocks, attention over the chosen ones.

With weights that carry no router it is an approximation without training, and experimental: a
block's summary is the mean of its keys, and a head's own query scores them.
"""

from dataclasses import dataclass

import torch
import triton
from torch import Tensor

from docparser_runtime.engine.gpu.ops.sparse_attention import (
    sparse_attention_kernel,
    summary_kernel,
)
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.shapes import DecoderShape


@dataclass(frozen=True)
class SparseSizes:
    """How much a query sees.

    Attributes:
        window: tokens right before it, itself among them, that it sees all.
        best: blocks that share a probability; a power of two.
        keep: blocks of those, at most, that it sees.
        candidates: most blocks of a sequence that may be chosen, such as those of a page; a power
            of two.
    """

    window: int = 128
    best: int = 16
    keep: int = 12
    candidates: int = 16


class SparseAttention:
    """Attention of decode steps of `batch` sequences over chosen blocks."""

    def __init__(  # noqa: PLR0913 - two of them only tune
        self,
        shape: DecoderShape,
        pool: KvPool,
        batch: int,
        sizes: SparseSizes,
        *,
        splits: int,
        warps: int = 2,
        rows: int = 32,
    ) -> None:
        device = pool.k.device
        self._shape, self._pool, self._sizes = shape, pool, sizes
        self._splits, self._warps, self._rows = splits, warps, rows
        units, width = batch * shape.heads, shape.head_dim
        self._units = units
        layers, blocks, heads = pool.k.shape[:3]
        self.summaries = torch.zeros(
            layers, blocks, heads, width, dtype=pool.k.dtype, device=device
        )
        self.firsts = torch.zeros(batch, dtype=torch.int32, device=device)
        self.counts = torch.zeros(batch, dtype=torch.int32, device=device)
        self._partial = torch.zeros(units, splits, width, device=device)
        self._logs = torch.zeros(units, splits, device=device)
        self._picks = torch.zeros(units * splits, 2 * sizes.best, device=device)
        self._arrivals = torch.zeros(units, dtype=torch.int32, device=device)
        self._scratch = torch.zeros(units * splits, sizes.candidates, device=device)

    def summarise(self, owners: Tensor) -> None:
        """Summarise blocks of the pool, [any] int32, whose keys are all written; in all layers."""
        if not owners.numel():
            return
        for k, summaries in zip(self._pool.k, self.summaries, strict=True):
            summary_kernel[(owners.numel(), self._shape.heads)](
                k, summaries, owners, HEADS=self._shape.heads, D=self._shape.head_dim
            )

    def __call__(
        self,
        layer: int,
        q: Tensor,
        block_tables: Tensor,
        reference_lens: Tensor,
        ring_lens: Tensor,
        out: Tensor,
    ) -> None:
        """Gather, for the queries [B, A], into `out`, of the same size.

        `firsts` and `counts` tell each sequence's candidates, as places in its block table.
        """
        shape, sizes = self._shape, self._sizes
        sparse_attention_kernel[(self._units, self._splits)](
            q, q, self._pool.k[layer], self._pool.v[layer], self.summaries[layer], block_tables,
            reference_lens, ring_lens, self.firsts, self.counts, self._partial, self._logs,
            self._arrivals, self._scratch, self._picks, out, block_tables.stride(0),
            HEADS=shape.heads, D=shape.head_dim, SPLITS=self._splits,
            SPLITS2=triton.next_power_of_2(self._splits), WINDOW=sizes.window,
            MOST=sizes.candidates, BEST=sizes.best, KEEP=sizes.keep, SCALE=shape.head_dim**-0.5,
            ROWS=self._rows, num_warps=self._warps,
        )  # fmt: skip
