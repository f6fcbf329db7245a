"""The weights of a decoder: one tensor per kind, the layers stacked."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from docparser_runtime.engine.gpu.shapes import DecoderShape

# Routing decides between experts, so it is computed as the models were trained to: in float32.
ROUTER_DTYPE = torch.float32


@dataclass(frozen=True)
class DecoderWeights:
    """Tensors in the layout of `nn.Linear`: rows are outputs, columns are inputs.

    L is the number of layers, D of those without experts, M of those with; H the hidden width,
    A the attention width (heads x head_dim), E the experts, V the vocabulary.

    Attributes:
        embed: [V, H].
        input_norm: [L, H].
        qkv: [L, 3A, H], rows of the queries, then keys, then values.
        o: [L, H, A].
        post_norm: [L, H].
        dense_gate_up: [D, 2 x dense_mlp, H], gate rows, then up rows.
        dense_down: [D, H, dense_mlp].
        router: [M, E, H], float32.
        expert_gate_up: [M, E, 2 x expert_mlp, H], gate rows, then up rows.
        expert_down: [M, E, H, expert_mlp].
        shared_gate_up: [M, 2 x shared_mlp, H], gate rows, then up rows.
        shared_down: [M, H, shared_mlp].
        final_norm: [H].
        lm_head: [V, H].
    """

    embed: Tensor
    input_norm: Tensor
    qkv: Tensor
    o: Tensor
    post_norm: Tensor
    dense_gate_up: Tensor
    dense_down: Tensor
    router: Tensor
    expert_gate_up: Tensor
    expert_down: Tensor
    shared_gate_up: Tensor
    shared_down: Tensor
    final_norm: Tensor
    lm_head: Tensor

    @property
    def bytes(self) -> int:
        """Memory that the tensors take."""
        tensors = [getattr(self, field.name) for field in fields(self)]
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors)

    @classmethod
    def empty(
        cls, shape: DecoderShape, device: torch.device | str, dtype: torch.dtype
    ) -> "DecoderWeights":
        """Return weights of `shape` with undefined contents."""
        return cls(
            **{
                name: torch.empty(
                    size, device=device, dtype=ROUTER_DTYPE if name == "router" else dtype
                )
                for name, size in sizes(shape).items()
            }
        )

    @classmethod
    def random(
        cls, shape: DecoderShape, device: torch.device | str, dtype: torch.dtype, seed: int = 0
    ) -> "DecoderWeights":
        """Return random weights that keep activations near unit size, equal for equal arguments."""
        weights = cls.empty(shape, device, dtype)
        generator = torch.Generator(device=device).manual_seed(seed)
        for field in fields(weights):
            tensor: Tensor = getattr(weights, field.name)
            if field.name.endswith("norm"):
                tensor.fill_(1.0)
            else:
                tensor.normal_(0.0, tensor.shape[-1] ** -0.5, generator=generator)
        return weights


def sizes(shape: DecoderShape) -> dict[str, tuple[int, ...]]:
    """Return the size of each tensor of `DecoderWeights`, by its name."""
    layers, dense, sparse = shape.layers, shape.first_dense_layers, shape.expert_layers
    hidden, width, experts = shape.hidden, shape.attention_width, shape.experts
    return {
        "embed": (shape.vocab, hidden),
        "input_norm": (layers, hidden),
        "qkv": (layers, 3 * width, hidden),
        "o": (layers, hidden, width),
        "post_norm": (layers, hidden),
        "dense_gate_up": (dense, 2 * shape.dense_mlp, hidden),
        "dense_down": (dense, hidden, shape.dense_mlp),
        "router": (sparse, experts, hidden),
        "expert_gate_up": (sparse, experts, 2 * shape.expert_mlp, hidden),
        "expert_down": (sparse, experts, hidden, shape.expert_mlp),
        "shared_gate_up": (sparse, 2 * shape.shared_mlp, hidden),
        "shared_down": (sparse, hidden, shape.shared_mlp),
        "final_norm": (hidden,),
        "lm_head": (shape.vocab, hidden),
    }
