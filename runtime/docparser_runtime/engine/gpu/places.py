"""Where each tensor of a file goes. Knows no torch: it says which rows of which of our tensors."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from docparser_runtime.engine.gpu.shapes import DecoderShape

_DECODER = "model.language_model"
_THIRDS = ("q_proj", "k_proj", "v_proj")


@dataclass(frozen=True)
class Piece:
    """A run of rows of one of our tensors.

    Attributes:
        tensor: its name.
        index: which part of it, by its first dimensions.
        start: first row of the run in that part.
        rows: how many.
    """

    tensor: str
    index: tuple[int, ...]
    start: int
    rows: int


# The pieces that a file's tensor fills, its rows in order, by its native name.
Places = dict[str, tuple[Piece, ...]]


def decoder_places(shape: DecoderShape, present: Collection[str]) -> Places:
    """Return the place of every tensor of a decoder.

    Args:
        shape: its sizes.
        present: the native names in the files: they may keep experts apart or together.
    """
    places: Places = {
        f"{_DECODER}.embed_tokens.weight": (Piece("embed", (), 0, shape.vocab),),
        f"{_DECODER}.norm.weight": (Piece("final_norm", (), 0, shape.hidden),),
        "lm_head.weight": (Piece("lm_head", (), 0, shape.vocab),),
    }
    for layer in range(shape.layers):
        prefix = f"{_DECODER}.layers.{layer}"
        places |= _attention(shape, layer, prefix)
        sparse = layer - shape.first_dense_layers
        if sparse < 0:
            places |= _mlp(f"{prefix}.mlp", "dense", (layer,), (shape.dense_mlp, shape.hidden))
        else:
            places |= _experts(shape, sparse, f"{prefix}.mlp", present)
    return places


def _attention(shape: DecoderShape, layer: int, prefix: str) -> Places:
    width, hidden = shape.attention_width, shape.hidden
    places: Places = {
        f"{prefix}.input_layernorm.weight": (Piece("input_norm", (layer,), 0, hidden),),
        f"{prefix}.post_attention_layernorm.weight": (Piece("post_norm", (layer,), 0, hidden),),
        f"{prefix}.self_attn.o_proj.weight": (Piece("o", (layer,), 0, hidden),),
    }
    for third, name in enumerate(_THIRDS):
        piece = Piece("qkv", (layer,), third * width, width)
        places[f"{prefix}.self_attn.{name}.weight"] = (piece,)
    return places


def _mlp(prefix: str, kind: str, index: tuple[int, ...], sizes: tuple[int, int]) -> Places:
    inner, hidden = sizes
    return {
        f"{prefix}.gate_proj.weight": (Piece(f"{kind}_gate_up", index, 0, inner),),
        f"{prefix}.up_proj.weight": (Piece(f"{kind}_gate_up", index, inner, inner),),
        f"{prefix}.down_proj.weight": (Piece(f"{kind}_down", index, 0, hidden),),
    }


def _experts(shape: DecoderShape, sparse: int, prefix: str, present: Collection[str]) -> Places:
    experts, index = shape.experts, (sparse,)
    shared = (shape.shared_mlp, shape.hidden)
    places: Places = {f"{prefix}.gate.weight": (Piece("router", index, 0, experts),)}
    places |= _mlp(f"{prefix}.shared_experts", "shared", index, shared)
    if f"{prefix}.experts.gate_up_proj" in present:
        return places | {
            f"{prefix}.experts.gate_up_proj": (Piece("expert_gate_up", index, 0, experts),),
            f"{prefix}.experts.down_proj": (Piece("expert_down", index, 0, experts),),
        }
    for expert in range(experts):
        sizes = (shape.expert_mlp, shape.hidden)
        places |= _mlp(f"{prefix}.experts.{expert}", "expert", (sparse, expert), sizes)
    return places


def vision_places(sizes: Mapping[str, tuple[int, ...]], present: Collection[str]) -> Places:
    """Return the place of every tensor of the vision side.

    Args:
        sizes: of its tensors, by their native names.
        present: the native names in the files: they may keep queries, keys and values together.
    """
    places: Places = {name: (Piece(name, (), 0, size[0]),) for name, size in sizes.items()}
    for fused in filter(_is_fused, present):
        thirds = tuple(fused.replace(".qkv_proj.", f".{third}.") for third in _THIRDS)
        if all(name in places for name in thirds):
            places[fused] = tuple(_flat(places.pop(name) for name in thirds))
    return places


def _is_fused(name: str) -> bool:
    return ".self_attn.qkv_proj." in name


def _flat(runs: Iterable[tuple[Piece, ...]]) -> Iterable[Piece]:
    return (piece for run in runs for piece in run)
