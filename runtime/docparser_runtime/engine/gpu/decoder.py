"""The decoder: chunks of prompts and steps of many sequences, over one pool of keys and values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from docparser_runtime.engine.gpu.ops.plain import rotary_table
from docparser_runtime.engine.gpu.ops.select import Ops
from docparser_runtime.engine.gpu.pool import KvPool, slots
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.weights import DecoderWeights


@dataclass(frozen=True)
class Chunk:
    """A run of a prompt.

    Attributes:
        start: rows of the same prompt that came before.
        length: rows of this run.
        block_table: [blocks] int32, of the sequence; reaches the end of the run at least.
    """

    start: int
    length: int
    block_table: Tensor


@dataclass(frozen=True)
class Step:
    """One new token for each of B sequences. Tensors of a CUDA graph keep their places.

    Attributes:
        tokens: [B] int64, the newest token of each.
        positions: [B] int64, its position in the sequence.
        slots: [B] int64, where its keys and values go: block x 32 + place in the block.
        block_tables: [B, most blocks] int32.
        reference_lens: [B] int32, rows of the reference that it sees; with full attention, all
            rows up to itself.
        ring_lens: [B] int32, rows of the ring that it sees, itself among them; 0 with full
            attention.
    """

    tokens: Tensor
    positions: Tensor
    slots: Tensor
    block_tables: Tensor
    reference_lens: Tensor
    ring_lens: Tensor


# Gathers, for the queries [N, heads, head_dim] of a layer, from its keys and values: [N, A].
_Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


class Decoder:
    """Twelve layers, or as many as `shape` says, without state of its own besides the pool."""

    def __init__(
        self, shape: DecoderShape, weights: DecoderWeights, pool: KvPool, ops: Ops
    ) -> None:
        self.shape = shape
        self.weights = weights
        self.pool = pool
        self._ops = ops
        self.rotary = rotary_table(
            shape.max_positions, shape.head_dim, shape.rope_theta, weights.embed.device
        )

    def embed(self, tokens: Tensor) -> Tensor:
        """Return the rows [N, H] of `tokens` [N]."""
        return functional.embedding(tokens, self.weights.embed)

    @torch.inference_mode()
    def prefill(self, rows: Tensor, chunks: Sequence[Chunk]) -> Tensor:
        """Write the keys and values of `chunks` and return the logits [chunks, V] of their ends.

        Args:
            rows: [N, H], of all chunks one after another: embedded tokens and image features.
            chunks: of different sequences.
        """
        device = rows.device
        starts = [torch.arange(c.start, c.start + c.length, device=device) for c in chunks]
        places = [slots(c.block_table, run) for c, run in zip(chunks, starts, strict=True)]
        lengths = [chunk.length for chunk in chunks]

        def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            parts = zip(torch.split(q, lengths), chunks, strict=True)
            return torch.cat(
                [
                    self._ops.prefill_attention(part, k, v, chunk.block_table, chunk.start)
                    for part, chunk in parts
                ]
            )

        out = self._layers(rows, torch.cat(starts), torch.cat(places), attention)
        ends = torch.tensor(lengths, device=device).cumsum(0) - 1
        return functional.linear(out[ends], self.weights.lm_head)

    @torch.inference_mode()
    def step(self, step: Step) -> Tensor:
        """Write the keys and values of the new tokens and return the logits [B, V] after them."""

        def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return self._ops.decode_attention(
                q, k, v, step.block_tables, step.reference_lens, step.ring_lens
            )

        out = self._layers(self.embed(step.tokens), step.positions, step.slots, attention)
        return functional.linear(out, self.weights.lm_head)

    def _layers(
        self, rows: Tensor, positions: Tensor, places: Tensor, attention: _Attention
    ) -> Tensor:
        """Return `rows` after all layers and the last norm."""
        weights, ops, eps = self.weights, self._ops, self.shape.rms_eps
        # Each layer's first norm takes in the sum before it, so it runs at the end of the former.
        norms = [*weights.input_norm.unbind(), weights.final_norm]
        residual, x = rows, ops.rms_norm(rows, norms[0], eps)
        for layer in range(self.shape.layers):
            k, v = self.pool.k[layer], self.pool.v[layer]
            qkv = functional.linear(x, weights.qkv[layer])
            q = ops.rotate_and_store(qkv, self.rotary, positions, places, k, v)
            x = functional.linear(attention(q, k, v), weights.o[layer])
            x, residual = ops.add_rms_norm(x, residual, weights.post_norm[layer], eps)
            x, residual = ops.add_rms_norm(self._mlp(layer, x), residual, norms[layer + 1], eps)
        return x

    def _mlp(self, layer: int, x: Tensor) -> Tensor:
        weights, ops = self.weights, self._ops
        sparse = layer - self.shape.first_dense_layers
        if sparse < 0:
            inner = ops.swiglu(functional.linear(x, weights.dense_gate_up[layer]))
            return functional.linear(inner, weights.dense_down[layer])
        chosen, ids = ops.route(x, weights.router[sparse], self.shape.top_k)
        routed = ops.experts(
            x, chosen, ids, weights.expert_gate_up[sparse], weights.expert_down[sparse]
        )
        shared = ops.swiglu(functional.linear(x, weights.shared_gate_up[sparse]))
        return routed + functional.linear(shared, weights.shared_down[sparse])
