# mypy: disable-error-code="no-untyped-call"
"""The same decoder through transformers' `generate`, in the same run."""

import time
from typing import Any

import torch
from transformers import GenerationConfig
from transformers.models.deepseek_ocr2.configuration_deepseek_ocr2 import DeepseekOcr2Config
from transformers.models.deepseek_ocr2.modeling_deepseek_ocr2 import (
    DeepseekOcr2ForConditionalGeneration,
)

from docparser_runtime.engine.gpu.shapes import DecoderShape


def generate_step_seconds(shape: DecoderShape, context: int, tokens: int) -> float:
    """Return the time of a token of greedy generation at batch 1, after `context` tokens."""
    config = DeepseekOcr2Config(text_config=_text_config(shape))
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("cuda"):
            model = DeepseekOcr2ForConditionalGeneration(config)
    finally:
        torch.set_default_dtype(torch.float32)
    model.train(mode=False)
    prompt = torch.randint(2, shape.vocab - 1000, (1, context), device="cuda")

    def run(count: int) -> float:
        length = GenerationConfig(
            max_new_tokens=count, min_new_tokens=count, do_sample=False, pad_token_id=1
        )
        torch.cuda.synchronize()
        begin = time.perf_counter()
        with torch.inference_mode():
            model.generate(prompt, generation_config=length)
        torch.cuda.synchronize()
        return time.perf_counter() - begin

    run(2)
    # The difference leaves the prompt out.
    return (run(tokens + 1) - run(1)) / tokens


def _text_config(shape: DecoderShape) -> dict[str, Any]:
    kinds = ["dense"] * shape.first_dense_layers + ["sparse"] * shape.expert_layers
    return {
        "vocab_size": shape.vocab,
        "hidden_size": shape.hidden,
        "intermediate_size": shape.dense_mlp,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.heads,
        "max_position_embeddings": shape.max_positions,
        "n_routed_experts": shape.experts,
        "n_shared_experts": shape.shared_mlp // shape.expert_mlp,
        "num_experts_per_tok": shape.top_k,
        "moe_intermediate_size": shape.expert_mlp,
        "mlp_layer_types": kinds,
    }
