"""Models of both families, small enough for a CPU, with random weights as transformers has them."""

import string
from pathlib import Path
from typing import Any

import torch
from docparser_api.model_sizes import Family
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedModel
from transformers.models.deepseek_ocr2.configuration_deepseek_ocr2 import DeepseekOcr2Config
from transformers.models.deepseek_ocr2.modeling_deepseek_ocr2 import (
    DeepseekOcr2ForConditionalGeneration,
)
from transformers.models.unlimited_ocr.configuration_unlimited_ocr import UnlimitedOcrConfig
from transformers.models.unlimited_ocr.modeling_unlimited_ocr import (
    UnlimitedOcrForConditionalGeneration,
)
from transformers.utils import logging

# Tests run beside each other; more threads would only wait for each other.
torch.set_num_threads(1)

VOCABULARY = 160
IMAGE_TOKEN = 150
# Small, so that a ring is soon full; and no multiple of a block.
WINDOW = 40

TEXT: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
    "n_routed_experts": 8,
    "n_shared_experts": 2,
    "num_experts_per_tok": 3,
    "moe_intermediate_size": 32,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "mlp_layer_types": ["dense", "sparse", "sparse"],
    # Large, so that no two tokens are nearly as likely as each other.
    "initializer_range": 0.15,
}
_SAM: dict[str, Any] = {
    "hidden_size": 32,
    "output_channels": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "global_attn_indexes": [1],
    "mlp_dim": 64,
    "window_size": 14,
    "downsample_channels": [24, 32],
    "initializer_range": 0.15,
}
_ENCODER: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "initializer_range": 0.15,
}


def deepseek_ocr2(seed: int = 0) -> PreTrainedModel:
    """Return a tiny DeepSeek-OCR-2, equal for equal seeds."""
    config = DeepseekOcr2Config(
        text_config=TEXT,
        vision_config={
            "sam_config": _SAM,
            "encoder_config": _ENCODER | {"num_key_value_heads": 2},
        },
        image_token_id=IMAGE_TOKEN,
    )
    return _randomized(DeepseekOcr2ForConditionalGeneration(config), seed)


def unlimited_ocr(seed: int = 0, window: int = WINDOW) -> PreTrainedModel:
    """Return a tiny Unlimited-OCR, equal for equal seeds."""
    config = UnlimitedOcrConfig(
        text_config=TEXT | {"sliding_window": window},
        vision_config={
            "sam_config": _SAM,
            "encoder_config": _ENCODER | {"image_size": 64, "patch_size": 4},
        },
        image_token_id=IMAGE_TOKEN,
    )
    return _randomized(UnlimitedOcrForConditionalGeneration(config), seed)


def save(model: PreTrainedModel, directory: Path, *, original: bool) -> Path:
    """Write `model` as the hub has it, under its authors' names or those of transformers."""
    progress: Any = logging
    progress.disable_progress_bar()
    model.save_pretrained(directory, save_original_format=original)
    return directory


def _randomized(model: PreTrainedModel, seed: int) -> PreTrainedModel:
    """Return `model` with no parameter left at zero or one, where a mistake could hide."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            base = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(base + 0.15 * noise)
    model.train(mode=False)
    # Generation goes on as long as a test wants.
    model.generation_config.eos_token_id = None
    return model


def of(family: Family, seed: int = 0) -> PreTrainedModel:
    """Return the tiny model of `family`."""
    return {Family.DEEPSEEK_OCR_2: deepseek_ocr2, Family.UNLIMITED_OCR: unlimited_ocr}[family](seed)


def save_tokenizer(directory: Path) -> None:
    """Write a tokenizer beside a model: one token for each character, words for the rest."""
    characters = sorted(set(string.printable))
    names = ["<s>", "</s>", *characters, *(f" w{number}" for number in range(VOCABULARY))]
    vocabulary = {name: number for number, name in enumerate(names[:VOCABULARY])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.save(str(directory / "tokenizer.json"))
