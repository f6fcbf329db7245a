from typing import Any

import pytest
from docparser_runtime.engine.base import WeightsInvalid
from docparser_runtime.engine.gpu.shapes import DecoderShape

# As the hub's config.json of DeepSeek-OCR-2 has it.
ORIGINAL: dict[str, Any] = {
    "bos_token_id": 0,
    "eos_token_id": 1,
    "first_k_dense_replace": 1,
    "hidden_size": 1280,
    "intermediate_size": 6848,
    "max_position_embeddings": 8192,
    "moe_intermediate_size": 896,
    "n_group": 1,
    "n_routed_experts": 64,
    "n_shared_experts": 2,
    "num_attention_heads": 10,
    "num_experts_per_tok": 6,
    "num_hidden_layers": 12,
    "num_key_value_heads": 10,
    "topk_group": 1,
    "topk_method": "greedy",
    "use_mla": False,
    "vocab_size": 129280,
}


def test_the_published_sizes_are_the_defaults() -> None:
    assert DecoderShape.from_config({"language_config": ORIGINAL}) == DecoderShape()


def test_a_native_config_lists_its_layers_and_has_rope_parameters() -> None:
    native = {key: ORIGINAL[key] for key in ORIGINAL if key != "first_k_dense_replace"} | {
        "mlp_layer_types": ["dense"] * 2 + ["sparse"] * 10,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0},
    }
    shape = DecoderShape.from_config({"text_config": native})
    assert (shape.first_dense_layers, shape.expert_layers, shape.rope_theta) == (2, 10, 500000.0)


@pytest.mark.parametrize(
    "config",
    [
        {"language_config": ORIGINAL, "sliding_window": 128},
        {"text_config": ORIGINAL | {"sliding_window": 128}},
    ],
)
def test_the_window_stands_on_either_level(config: dict[str, Any]) -> None:
    assert DecoderShape.from_config(config).window == 128


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"hidden_size": None}, "hidden_size"),
        ({"num_hidden_layers": "12"}, "num_hidden_layers"),
        ({"vocab_size": True}, "vocab_size"),
        ({"use_mla": True}, "use_mla"),
        ({"norm_topk_prob": True}, "norm_topk_prob"),
        ({"routed_scaling_factor": 2.5}, "routed_scaling_factor"),
        ({"num_key_value_heads": 2}, "num_key_value_heads"),
        ({"num_attention_heads": 7}, "heads"),
        ({"rope_scaling": {"type": "yarn"}}, "yarn"),
        ({"mlp_layer_types": ["sparse", "dense"]}, "mlp_layer_types"),
    ],
)
def test_what_the_decoder_cannot_do_is_refused_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(WeightsInvalid, match=named):
        DecoderShape.from_config({"text_config": ORIGINAL | change})


def test_a_config_without_a_decoder_is_refused() -> None:
    with pytest.raises(WeightsInvalid, match="text_config"):
        DecoderShape.from_config({})
