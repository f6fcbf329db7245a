"""Attention of the first encoder, with its relative positions folded into queries and keys.

A score is q.k plus a bias for the distance in rows and one for that in columns, and both biases are
products with q as well. So with a query's biases for all rows and columns appended to it, and to
each key a one at its own row and column, one product gives the whole score: no bias of tokens x
tokens is ever written, and the fastest kernels serve.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

# Kernels want heads of a multiple of this.
_ALIGNMENT = 8


class FoldedAttention(nn.Module):
    """Computes what `attention` does, with its parameters under the same names.

    The tables of positions are made when a size is first seen: load the weights before.
    """

    def __init__(self, attention: Any) -> None:
        super().__init__()
        self.qkv: nn.Linear = attention.qkv
        self.proj: nn.Linear = attention.proj
        self.rel_pos_h: nn.Parameter = attention.rel_pos_h
        self.rel_pos_w: nn.Parameter = attention.rel_pos_w
        self._heads: int = attention.num_attention_heads
        self._tables: dict[tuple[int, int], tuple[Tensor, Tensor, Tensor]] = {}

    def forward(self, hidden_states: Tensor) -> tuple[Tensor, None]:
        """Return what each token [batch, rows, columns, width] gathers from all of its picture."""
        batch, height, width, _ = hidden_states.shape
        qkv = self.qkv(hidden_states).view(batch, height * width, 3, self._heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()
        by_row, by_column, own_place = self._tables_for(height, width)
        grid = q.unflatten(2, (height, width))
        row_bias = torch.einsum("bnhwc,hkc->bnhwk", grid, by_row).flatten(2, 3)
        column_bias = torch.einsum("bnhwc,wkc->bnhwk", grid, by_column).flatten(2, 3)
        head = q.shape[-1]
        extra = own_place.shape[-1]
        padding = extra - height - width
        wide_q = functional.pad(
            torch.cat((q * head**-0.5, row_bias, column_bias), dim=-1), (0, padding)
        )
        wide_k = torch.cat((k, own_place.expand(batch, self._heads, -1, -1)), dim=-1)
        # As wide as the others: kernels want all three alike.
        out = functional.scaled_dot_product_attention(
            wide_q, wide_k, functional.pad(v, (0, extra)), scale=1.0
        )[..., :head]
        return self.proj(out.transpose(1, 2).reshape(batch, height, width, -1)), None

    def _tables_for(self, height: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
        if (height, width) not in self._tables:
            tokens = torch.arange(height * width, device=self.rel_pos_h.device)
            own_place = torch.cat(
                (
                    functional.one_hot(tokens // width, height),
                    functional.one_hot(tokens % width, width),
                ),
                dim=-1,
            )
            padding = -(self.qkv.in_features // self._heads + height + width) % _ALIGNMENT
            self._tables[height, width] = (
                _by_distance(self.rel_pos_h, height),
                _by_distance(self.rel_pos_w, width),
                functional.pad(own_place, (0, padding)).to(self.rel_pos_h.dtype),
            )
        return self._tables[height, width]


def _by_distance(embedding: Tensor, side: int) -> Tensor:
    """Return the vectors [side, side, head] for each pair of places of a query and a key."""
    distances = 2 * side - 1
    resized = functional.interpolate(embedding.T[None], size=distances, mode="linear")[0].T
    places = torch.arange(side, device=embedding.device)
    return resized[places[:, None] - places[None, :] + side - 1]
