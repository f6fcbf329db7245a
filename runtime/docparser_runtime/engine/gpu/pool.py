"""The memory of keys and values of all running sequences, in blocks of 32 tokens.

A sequence owns blocks and lists them in its block table: its row r lies in block `table[r // 32]`,
at `r % 32`. Rows come in two runs:

- the reference, rows 0 to `reference_len`: the prompt, and with full attention also all that was
  generated since;
- the ring, with a window only: it starts at the first block behind the reference, so at row
  `ring_start(reference_len)`, and generated token n lies in its slot `n % window`. Keys carry their
  position, so their order in the ring does not matter.

A decode step sees rows [0, reference_len) and [ring_start, ring_start + ring_len).
Block 0 belongs to nobody: padded rows of a batch write there.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from docparser_runtime.engine.gpu.shapes import DecoderShape

BLOCK_TOKENS = 32
SCRATCH_BLOCK = 0


@dataclass(frozen=True)
class KvPool:
    """Keys, stored after their rotation, and values, each [layers, blocks, heads, 32, head_dim]."""

    k: Tensor
    v: Tensor

    @classmethod
    def allocate(
        cls, shape: DecoderShape, blocks: int, device: torch.device | str, dtype: torch.dtype
    ) -> "KvPool":
        """Return a zeroed pool of `blocks` blocks, the scratch block among them."""
        size = (shape.layers, blocks, shape.kv_heads, BLOCK_TOKENS, shape.head_dim)
        # Zeroed: a masked row must be finite, since 0 x NaN is not 0.
        return cls(
            k=torch.zeros(size, device=device, dtype=dtype),
            v=torch.zeros(size, device=device, dtype=dtype),
        )

    @property
    def blocks(self) -> int:
        """Blocks in the pool, the scratch block among them."""
        return int(self.k.shape[1])

    @property
    def bytes(self) -> int:
        """Memory that the pool takes."""
        return 2 * self.k.numel() * self.k.element_size()


def block_bytes(shape: DecoderShape, dtype: torch.dtype) -> int:
    """Return the memory that one block takes over all layers."""
    return 2 * shape.layers * shape.attention_width * BLOCK_TOKENS * dtype.itemsize


def ring_start(reference_len: int) -> int:
    """Return the row at which the ring behind a reference of `reference_len` rows starts."""
    return -(-reference_len // BLOCK_TOKENS) * BLOCK_TOKENS


def slots(block_table: Tensor, rows: Tensor) -> Tensor:
    """Return where `rows` of a sequence lie in the pool, as block x 32 + place in the block."""
    blocks = block_table[torch.div(rows, BLOCK_TOKENS, rounding_mode="floor")]
    return blocks.long() * BLOCK_TOKENS + rows % BLOCK_TOKENS
