# mypy: disable-error-code="import-untyped"
"""A decode step of one sequence on the GPU: its memory, its sizes, its launches."""

import ctypes

import torch
import triton
from torch import Tensor

from docparser_runtime.engine.gpu.ops.cuda_source import CooperativeKernel, compiled
from docparser_runtime.engine.gpu.ops.progress import begin_kernel, end_kernel
from docparser_runtime.engine.gpu.ops.step_state import StepState
from docparser_runtime.engine.gpu.pool import KvPool
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.weights import DecoderWeights

FILES = ("single_step.cu", "single_parts.cu", "single_mlp.cu")
_THREADS = 512
_WARPS = _THREADS // 32
_SLOTS = 8
# In the order of `Step` in single_step.cu; all but one are pointers.
_FIELDS = (
    "embed", "input_norm", "qkv", "o", "post_norm", "dense_gate_up", "dense_down", "router",
    "expert_gate_up", "expert_down", "shared_gate_up", "shared_down", "final_norm", "lm_head",
    "rotary", "k_pool", "v_pool", "pool_layer", "tokens", "positions", "slots", "table",
    "reference_len", "ring_len", "temperature", "seed", "banned", "hidden", "q", "partial",
    "logs", "scores", "inner", "bests", "candidates", "logits", "counter",
)  # fmt: skip
_BY_VALUE = "pool_layer"


class _Step(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in _FIELDS]


def macros(shape: DecoderShape, blocks: int) -> dict[str, object]:
    """Return the sizes that the kernel is compiled with, for a GPU of `blocks` multiprocessors."""
    return {
        "BLOCKS": blocks,
        "H": shape.hidden,
        "NH": shape.heads,
        "NE": shape.experts,
        "TOP": shape.top_k,
        "NI": shape.expert_mlp,
        "NS": shape.shared_mlp,
        "ND": shape.dense_mlp,
        "FIRST": shape.first_dense_layers,
        "NL": shape.layers,
        "NV": shape.vocab,
        "EPS": f"{shape.rms_eps}f",
    }


def fits(shape: DecoderShape) -> bool:
    """Return whether the kernel, written for the published sizes, can serve `shape`."""
    return (
        shape.head_dim == 128  # noqa: PLR2004 - a half warp reads a row of keys
        and shape.hidden == shape.attention_width
        and shape.hidden % 256 == 0
        and shape.hidden <= 4 * _THREADS
        and shape.experts == 64  # noqa: PLR2004 - eight threads rank each
        and shape.expert_mlp % 8 == 0
        and shape.expert_mlp <= 1024  # noqa: PLR2004 - four reads of a warp
        and shape.shared_mlp == (_SLOTS - shape.top_k) * shape.expert_mlp
        and shape.dense_mlp % (8 * _SLOTS) == 0
        and shape.dense_mlp <= 1024 * _SLOTS
    )


class SingleStep:
    """Decode steps of one sequence, in bfloat16."""

    def __init__(
        self,
        shape: DecoderShape,
        weights: DecoderWeights,
        pool: KvPool,
        rotary: Tensor,
        *,
        keep_logits: bool = False,
    ) -> None:
        device = weights.embed.device
        self._shape, self._weights, self._pool, self._rotary = shape, weights, pool, rotary
        self._blocks = torch.cuda.get_device_properties(device).multi_processor_count
        # The kernel reads a row of the residual's router weights at a time.
        self._router = weights.router.transpose(1, 2).contiguous()
        inner = max(shape.dense_mlp, shape.top_k * shape.expert_mlp + shape.shared_mlp)
        splits = self._blocks // shape.heads
        floats = {
            "hidden": shape.hidden,
            "q": shape.attention_width,
            "partial": splits * shape.attention_width,
            "logs": splits * shape.heads,
            "scores": self._blocks * shape.experts,
            "inner": inner,
            "bests": self._blocks,
            "logits": shape.vocab if keep_logits else 0,
        }
        self._floats = {n: torch.zeros(size, device=device) for n, size in floats.items()}
        self._candidates = torch.zeros(self._blocks, dtype=torch.int32, device=device)
        self._counter = torch.zeros(1, dtype=torch.int32, device=device)
        self._banned = torch.zeros(shape.vocab, dtype=torch.uint8, device=device)
        self._marks: Tensor | None = None
        code = compiled(
            FILES, macros(shape, self._blocks), torch.cuda.get_device_capability(device)
        )
        self._kernel = CooperativeKernel(code, "single_step")

    @property
    def logits(self) -> Tensor:
        """Scores [V] of the last step, before bans; empty unless they are kept."""
        return self._floats["logits"]

    def __call__(self, state: StepState) -> None:
        """Write the key and value of the newest token and take the next; `state` moves on."""
        shape, look_back = self._shape, state.history.shape[1]
        if self._marks is None or self._marks.numel() != look_back:
            self._marks = torch.full_like(state.history[:1], -1)
        begin_kernel[(1,)](
            state.history, state.windows, state.sizes, state.allowed, self._banned, self._marks,
            self._counter,
            VOCAB=shape.vocab, LOOK_BACK=look_back, ALLOWED=state.allowed.numel(),
        )  # fmt: skip
        self._kernel(self._blocks, _THREADS, self._arguments(state))
        end_kernel[(1,)](
            self._floats["bests"], self._candidates, state.tokens, state.positions, state.slots,
            state.block_tables, state.reference_lens, state.ring_lens, state.active, state.history,
            self._banned, self._marks, state.sampled,
            TILES=self._blocks, TILES2=triton.next_power_of_2(self._blocks),
            COLUMNS=state.block_tables.stride(0), WINDOW=shape.window or 0, LOOK_BACK=look_back,
            VOCAB=shape.vocab,
        )  # fmt: skip

    def _arguments(self, state: StepState) -> _Step:
        weights = self._weights
        tensors = {name: getattr(weights, name) for name in _FIELDS if hasattr(weights, name)}
        tensors |= self._floats
        tensors |= {
            "router": self._router,
            "rotary": self._rotary,
            "k_pool": self._pool.k,
            "v_pool": self._pool.v,
            "tokens": state.tokens,
            "positions": state.positions,
            "slots": state.slots,
            "table": state.block_tables,
            "reference_len": state.reference_lens,
            "ring_len": state.ring_lens,
            "temperature": state.temperatures,
            "seed": state.seeds,
            "banned": self._banned,
            "candidates": self._candidates,
            "counter": self._counter,
        }
        values = {name: tensor.data_ptr() for name, tensor in tensors.items()}
        return _Step(**values, **{_BY_VALUE: self._pool.k.stride(0)})
