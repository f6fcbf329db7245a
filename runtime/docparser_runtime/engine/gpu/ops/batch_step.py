# mypy: disable-error-code="import-untyped"
"""A decode step of many sequences on the GPU: its memory, its sizes of tiles, its launches."""

import torch
import triton
from torch import Tensor

from docparser_runtime.engine.gpu.ops import attention, experts, linear
from docparser_runtime.engine.gpu.ops.batch_tuning import PLAIN_TUNING, BatchTuning
from docparser_runtime.engine.gpu.ops.progress import begin_kernel, end_kernel
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.sparse import SparseAttention, SparseSizes
from docparser_runtime.engine.gpu.weights import DecoderWeights


class BatchStep:
    """Decode steps of `batch` sequences."""

    def __init__(  # noqa: PLR0913 - what a step needs
        self,
        shape: DecoderShape,
        weights: DecoderWeights,
        pool: KvPool,
        rotary: Tensor,
        batch: int,
        *,
        tuning: BatchTuning = PLAIN_TUNING,
        sparse: SparseSizes | None = None,
        keep_logits: bool = False,
    ) -> None:
        self._tuning = tuning
        self._shape, self._weights, self._pool, self._rotary = shape, weights, pool, rotary
        self._batch, self._keep_logits = batch, keep_logits
        self._splits = max(
            tuning.least_splits, min(128, tuning.attention_programs // (batch * shape.heads))
        )
        self._tiles = -(-shape.vocab // tuning.head_rows)
        self._bm = 16 if batch <= 16 else 32 if batch <= 32 else 64  # noqa: PLR2004 - tiles
        self._marks: Tensor | None = None
        self.sparse = (
            SparseAttention(shape, pool, batch, sparse, splits=sparse_splits(batch * shape.heads))
            if sparse
            else None
        )
        self._take_room(weights.embed.device, weights.embed.dtype)

    def _take_room(self, device: torch.device, dtype: torch.dtype) -> None:
        """Allocate what stands between the parts of a step: a graph needs it to stay in place."""
        shape, batch = self._shape, self._batch
        heads, pairs = shape.heads, batch * shape.top_k

        def rows(*size: int, kind: torch.dtype = dtype) -> Tensor:
            return torch.zeros(size, dtype=kind, device=device)

        wide, whole = torch.float32, torch.int32
        self._hidden = rows(batch, shape.hidden, kind=wide)
        self._x = rows(batch, shape.hidden)
        self._q = rows(batch, shape.attention_width)
        self._gathered = rows(batch, shape.attention_width)
        self._partial = rows(batch * heads, self._splits, shape.head_dim, kind=wide)
        self._logs = rows(batch * heads, self._splits, kind=wide)
        self._probabilities = rows(pairs, kind=wide)
        self._counts = rows(shape.experts, kind=whole)
        self._lists = rows(shape.experts, batch, kind=whole)
        self._routed_inner = rows(pairs, shape.expert_mlp)
        self._shared_inner = rows(batch * max(shape.shared_mlp, shape.dense_mlp))
        self._routed_out = rows(pairs, shape.hidden)
        self._shared_out = rows(batch, shape.hidden)
        self._bests = rows(batch, self._tiles, kind=wide)
        self._candidates = rows(batch, self._tiles, kind=whole)
        self._banned = rows(batch, shape.vocab, kind=torch.uint8)
        self._counter = rows(1, kind=whole)
        self.logits = rows(batch if self._keep_logits else 0, shape.vocab, kind=wide)

    def __call__(self, state: StepState) -> None:
        """Write keys and values of the newest tokens and take the next; `state` moves on."""
        shape, look_back = self._shape, state.history.shape[1]
        if self._marks is None or self._marks.shape != state.history.shape:
            self._marks = torch.full_like(state.history, -1)
        begin_kernel[(self._batch,)](
            state.history, state.windows, state.sizes, state.allowed, self._banned, self._marks,
            self._counter,
            VOCAB=shape.vocab, LOOK_BACK=look_back, ALLOWED=state.allowed.numel(),
        )  # fmt: skip
        self._layers(state)
        self._head(state)
        end_kernel[(self._batch,)](
            self._bests, self._candidates, state.tokens, state.positions, state.slots,
            state.block_tables, state.reference_lens, state.ring_lens, state.active, state.history,
            self._banned, self._marks, state.sampled,
            TILES=self._tiles, TILES2=triton.next_power_of_2(self._tiles),
            COLUMNS=state.block_tables.stride(0), WINDOW=shape.window or 0, LOOK_BACK=look_back,
            VOCAB=shape.vocab,
        )  # fmt: skip

    def _layers(self, state: StepState) -> None:
        shape, weights = self._shape, self._weights
        width = {"H": shape.hidden, "H2": triton.next_power_of_2(shape.hidden)}
        norms = [*weights.input_norm.unbind(), weights.final_norm]
        experts.embed_kernel[(self._batch,)](
            state.tokens, weights.embed, norms[0], self._hidden, self._x,
            **width, EPS=shape.rms_eps,
        )  # fmt: skip
        for layer in range(shape.layers):
            self._project(layer, state)
            self.attend(layer, state)
            self._add_output(layer)
            self._mlp(layer)
            experts.gather_kernel[(self._batch,)](
                self._hidden, self._routed_out, self._shared_out, self._probabilities,
                norms[layer + 1], self._x,
                **width, EPS=shape.rms_eps, TOP=shape.top_k,
                ROUTED=layer >= shape.first_dense_layers,
            )  # fmt: skip

    def _rows(self) -> int:
        return -(-self._batch // self._bm)

    def _project(self, layer: int, state: StepState) -> None:
        shape = self._shape
        bn = min(16, shape.head_dim // 2)
        tiles = 3 * shape.heads * (shape.head_dim // 2 // bn)
        linear.qkv_kernel[(tiles, self._rows())](
            self._x, self._weights.qkv[layer], self._rotary, state.positions, state.slots, self._q,
            self._pool.k[layer], self._pool.v[layer], self._batch,
            H=shape.hidden, HEADS=shape.heads, D=shape.head_dim, BM=self._bm, BN=bn,
            BK=depth(shape.hidden), num_stages=4,
        )  # fmt: skip

    def attend(self, layer: int, state: StepState) -> None:
        """Gather, for the queries of `layer`, from the rows that each sequence sees."""
        shape, tuning = self._shape, self._tuning
        if self.sparse:
            lens = state.reference_lens, state.ring_lens
            self.sparse(layer, self._q, state.block_tables, *lens, self._gathered)
            return
        units = self._batch * shape.heads
        attention.decode_attention_kernel[(units, self._splits)](
            self._q, self._pool.k[layer], self._pool.v[layer], state.block_tables,
            state.reference_lens, state.ring_lens, self._partial, self._logs,
            state.block_tables.stride(0),
            HEADS=shape.heads, D=shape.head_dim, SPLITS=self._splits,
            ROWS=tuning.attention_rows, num_warps=tuning.attention_warps,
        )  # fmt: skip
        attention.combine_kernel[(units,)](
            self._partial, self._logs, self._gathered,
            D=shape.head_dim, SPLITS=self._splits, SPLITS2=triton.next_power_of_2(self._splits),
        )  # fmt: skip

    def _add_output(self, layer: int) -> None:
        shape = self._shape
        linear.add_projection_kernel[(shape.hidden // 16, self._rows())](
            self._gathered, self._weights.o[layer], self._hidden, self._counts, self._batch,
            N=shape.hidden, K=shape.attention_width, EXPERTS=shape.experts, BM=self._bm, BN=16,
            BK=depth(shape.attention_width), num_stages=4,
        )  # fmt: skip

    def _mlp(self, layer: int) -> None:
        shape, weights = self._shape, self._weights
        sparse = layer - shape.first_dense_layers
        routed = sparse >= 0
        experts.route_kernel[(self._batch,)](
            self._hidden, weights.post_norm[layer], weights.router[max(sparse, 0)], self._x,
            self._probabilities, self._counts, self._lists, self._batch,
            H=shape.hidden, H2=triton.next_power_of_2(shape.hidden), EPS=shape.rms_eps,
            EXPERTS=shape.experts, TOP=shape.top_k, CHUNK=min(128, depth(shape.hidden)),
            ROUTED=routed, num_warps=self._tuning.route_warps,
        )  # fmt: skip
        shared = shape.shared_mlp if routed else shape.dense_mlp
        gate_up, down = (
            (weights.shared_gate_up[sparse], weights.shared_down[sparse])
            if routed
            else (weights.dense_gate_up[layer], weights.dense_down[layer])
        )
        which = max(sparse, 0)
        bm = 16 if self._batch < 128 else 32  # noqa: PLR2004 - about twice the tokens of an expert
        count = shape.experts if routed else 0
        tuning = self._tuning
        bn = tuning.gate_rows
        tiles = -(-shared // bn) + count * -(-shape.expert_mlp // bn)
        experts.gate_up_kernel[(tiles,)](
            self._x, self._counts, self._lists, weights.expert_gate_up[which], gate_up,
            self._routed_inner, self._shared_inner, self._batch,
            H=shape.hidden, TOP=shape.top_k, INNER=shape.expert_mlp, SHARED=shared, BM=bm,
            BM_SHARED=self._bm, BN=bn, BK=depth(shape.hidden, tuning.columns),
            num_stages=tuning.stages, num_warps=tuning.warps,
        )  # fmt: skip
        bn = min(tuning.down_rows, shape.hidden)
        experts.down_kernel[((1 + count) * (shape.hidden // bn),)](
            self._routed_inner, self._shared_inner, self._counts, self._lists,
            weights.expert_down[which], down, self._routed_out, self._shared_out, self._batch,
            H=shape.hidden, INNER=shape.expert_mlp, SHARED=shared, BM=bm, BM_SHARED=self._bm,
            BN=bn, BK=tuning.columns, num_stages=tuning.stages, num_warps=tuning.warps,
        )  # fmt: skip

    def _head(self, state: StepState) -> None:
        shape = self._shape
        linear.head_kernel[(self._tiles, self._rows())](
            self._x, self._weights.lm_head, self._banned, state.temperatures, state.seeds,
            state.positions, self._bests, self._candidates, self.logits, self._batch,
            H=shape.hidden, VOCAB=shape.vocab, TILES=self._tiles, BM=self._bm,
            BN=self._tuning.head_rows, BK=depth(shape.hidden, self._tuning.columns),
            KEEP=self._keep_logits,
            num_stages=self._tuning.stages, num_warps=self._tuning.warps,
        )  # fmt: skip


def depth(width: int, most: int = 128) -> int:
    """Return how many columns a tile takes at once: the largest power of two in `width`."""
    columns = most
    while width % columns:
        columns //= 2
    return columns


def sparse_splits(units: int) -> int:
    """Return into how many shares the chosen rows of each of `units` heads are cut."""
    return 21 if units <= 40 else 11 if units <= 132 else 6  # noqa: PLR2004 - enough for a large GPU
