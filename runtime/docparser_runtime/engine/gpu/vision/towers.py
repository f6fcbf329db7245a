"""The encoders of both families, out of transformers, with the sizes that a config states."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from docparser_api.model_sizes import Family
from transformers import PreTrainedModel
from transformers.models.deepseek_ocr2.configuration_deepseek_ocr2 import DeepseekOcr2VisionConfig
from transformers.models.deepseek_ocr2.modeling_deepseek_ocr2 import DeepseekOcr2VisionModel
from transformers.models.unlimited_ocr.configuration_unlimited_ocr import UnlimitedOcrVisionConfig
from transformers.models.unlimited_ocr.modeling_unlimited_ocr import UnlimitedOcrVisionModel

from docparser_runtime.engine.gpu.vision.sam import FoldedAttention

# The original config.json of DeepSeek-OCR-2 only names its encoders; these are their sizes.
_PUBLISHED_ENCODER = {
    "hidden_size": 896,
    "intermediate_size": 4864,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "max_position_embeddings": 131_072,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0},
}


def tower(
    family: Family, config: Mapping[str, Any], device: torch.device, dtype: torch.dtype
) -> PreTrainedModel:
    """Return the encoder of a family with undefined weights.

    Args:
        family: whose.
        config: the hub's `config.json`, original or native to transformers.
        device: where it computes.
        dtype: what it computes in.
    """
    vision = config.get("vision_config") or {}
    sizes = {key: vision[key] for key in ("sam_config", "encoder_config") if key in vision}
    kind: Any = _MODELS[family]
    with torch.device(device):
        made: PreTrainedModel = kind._from_config(  # noqa: SLF001 - what from_pretrained calls
            _CONFIGS[family](sizes), dtype=dtype, attn_implementation="sdpa"
        )
    first: Any = made.sam_encoder
    for layer in first.layers:
        layer.attn = FoldedAttention(layer.attn)
    return made.requires_grad_(requires_grad=False)


def projector_inputs(model: PreTrainedModel) -> int:
    """Return the width of what the encoder gives for each token."""
    encoder, sam = model.config.encoder_config, model.config.sam_config
    if isinstance(model, UnlimitedOcrVisionModel):
        return int(encoder.hidden_size + sam.downsample_channels[-1])
    return int(encoder.hidden_size)


def _deepseek_config(sizes: Mapping[str, Any]) -> DeepseekOcr2VisionConfig:
    return DeepseekOcr2VisionConfig(**{"encoder_config": _PUBLISHED_ENCODER, **sizes})


def _unlimited_config(sizes: Mapping[str, Any]) -> UnlimitedOcrVisionConfig:
    return UnlimitedOcrVisionConfig(**sizes)


_CONFIGS: Mapping[Family, Callable[[Mapping[str, Any]], Any]] = {
    Family.DEEPSEEK_OCR_2: _deepseek_config,
    Family.UNLIMITED_OCR: _unlimited_config,
}
_MODELS: Mapping[Family, type[PreTrainedModel]] = {
    Family.DEEPSEEK_OCR_2: DeepseekOcr2VisionModel,
    Family.UNLIMITED_OCR: UnlimitedOcrVisionModel,
}
