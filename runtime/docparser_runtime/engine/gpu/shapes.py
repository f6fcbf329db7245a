"""The sizes of a decoder, read from a hub's `config.json`. Knows no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docparser_runtime.engine.base import WeightsInvalid

DEFAULT_ROPE_THETA = 10_000.0


@dataclass(frozen=True)
class DecoderShape:
    """The sizes that both model families share; the defaults are those of the published models.

    Attributes:
        layers: transformer layers.
        hidden: width of the residual stream.
        heads: attention heads; each has its own keys and values.
        head_dim: width of a head.
        dense_mlp: inner width of the MLP of the first layers.
        first_dense_layers: how many layers at the start have no experts.
        experts: routed experts of the others.
        top_k: experts that a token visits.
        expert_mlp: inner width of a routed expert.
        shared_mlp: inner width of what every token visits besides.
        vocab: rows of the embedding and of the head.
        rms_eps: added to the mean square before the root.
        rope_theta: base of the rotary frequencies.
        max_positions: longest sequence, prompt and output.
        window: how many generated tokens a generated token sees, itself among them, besides the
            whole prompt; None when it sees all.
    """

    layers: int = 12
    hidden: int = 1280
    heads: int = 10
    head_dim: int = 128
    dense_mlp: int = 6848
    first_dense_layers: int = 1
    experts: int = 64
    top_k: int = 6
    expert_mlp: int = 896
    shared_mlp: int = 1792
    vocab: int = 129_280
    rms_eps: float = 1e-6
    rope_theta: float = DEFAULT_ROPE_THETA
    max_positions: int = 8192
    window: int | None = None

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values: as many as of queries."""
        return self.heads

    @property
    def attention_width(self) -> int:
        """Columns of the queries, of the keys and of the values of a token."""
        return self.heads * self.head_dim

    @property
    def expert_layers(self) -> int:
        """Layers that have experts."""
        return self.layers - self.first_dense_layers

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "DecoderShape":
        """Return the sizes that `config` states.

        Args:
            config: a hub's `config.json`, of DeepSeek-OCR-2 (original or native to transformers)
                or of Unlimited-OCR.

        Raises:
            WeightsInvalid: a size is missing or the decoder works otherwise than ours; names it.
        """
        text = config.get("text_config") or config.get("language_config")
        if not isinstance(text, Mapping):
            raise WeightsInvalid("config.json has neither text_config nor language_config")
        _refuse_other_designs(text)
        hidden, heads = _size(text, "hidden_size"), _size(text, "num_attention_heads")
        expert_mlp = _size(text, "moe_intermediate_size")
        return cls(
            layers=_size(text, "num_hidden_layers"),
            hidden=hidden,
            heads=heads,
            head_dim=hidden // heads,
            dense_mlp=_size(text, "intermediate_size"),
            first_dense_layers=_first_dense_layers(text),
            experts=_size(text, "n_routed_experts"),
            top_k=_size(text, "num_experts_per_tok"),
            expert_mlp=expert_mlp,
            shared_mlp=expert_mlp * _size(text, "n_shared_experts"),
            vocab=_size(text, "vocab_size"),
            rms_eps=float(text.get("rms_norm_eps", 1e-6)),
            rope_theta=_rope_theta(text),
            max_positions=_size(text, "max_position_embeddings"),
            window=text.get("sliding_window", config.get("sliding_window")),
        )


def _size(text: Mapping[str, Any], name: str) -> int:
    value = text.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise WeightsInvalid(f"config.json: {name} is {value!r}, not a positive whole number")
    return value


def _first_dense_layers(text: Mapping[str, Any]) -> int:
    kinds = text.get("mlp_layer_types")
    if kinds is None:
        return int(text.get("first_k_dense_replace", 1))
    dense = list(kinds).count("dense")
    if list(kinds) != ["dense"] * dense + ["sparse"] * (len(kinds) - dense):
        raise WeightsInvalid("config.json: mlp_layer_types has dense layers after sparse ones")
    return dense


def _rope_theta(text: Mapping[str, Any]) -> float:
    rope = text.get("rope_parameters") or text.get("rope_scaling") or {}
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind != "default":
        raise WeightsInvalid(f"config.json: rope type {kind!r} is not supported")
    return float(rope.get("rope_theta", text.get("rope_theta", DEFAULT_ROPE_THETA)))


# What the decoder takes for granted, and what a config that says nothing means.
_TAKEN_FOR_GRANTED: Mapping[str, tuple[Any, ...]] = {
    "use_mla": (False,),
    "attention_bias": (False,),
    "mlp_bias": (False,),
    "hidden_act": ("silu",),
    "topk_method": ("greedy",),
    "scoring_func": ("softmax",),
    "norm_topk_prob": (False,),
    "routed_scaling_factor": (1, 1.0),
    "tie_word_embeddings": (False,),
}


def _refuse_other_designs(text: Mapping[str, Any]) -> None:
    for name, expected in _TAKEN_FOR_GRANTED.items():
        if name in text and text[name] not in expected:
            raise WeightsInvalid(f"config.json: {name} is {text[name]!r}, not {expected[0]!r}")
    heads = text.get("num_attention_heads")
    if text.get("num_key_value_heads", heads) not in (heads, None):
        raise WeightsInvalid("config.json: num_key_value_heads differs from num_attention_heads")
    if isinstance(heads, int) and heads and _size(text, "hidden_size") % (2 * heads):
        raise WeightsInvalid("config.json: hidden_size is no even multiple of the heads")
