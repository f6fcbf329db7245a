"""The encoders of both families, out of transformers, with the sizes that a config states.

Each family's code is imported only when it is used: that takes a second or more.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from docparser_api.model_sizes import Family
from transformers import PreTrainedModel

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
    kind, sizes_of_all = _FAMILIES[family](sizes)
    with torch.device(device):
        made: PreTrainedModel = kind._from_config(  # noqa: SLF001 - what from_pretrained calls
            sizes_of_all, dtype=dtype, attn_implementation="sdpa"
        )
    first: Any = made.sam_encoder
    for layer in first.layers:
        layer.attn = FoldedAttention(layer.attn)
    return made.requires_grad_(requires_grad=False)


def projector_inputs(family: Family, model: PreTrainedModel) -> int:
    """Return the width of what the encoder of `family` gives for each token."""
    encoder, sam = model.config.encoder_config, model.config.sam_config
    if family is Family.UNLIMITED_OCR:
        return int(encoder.hidden_size + sam.downsample_channels[-1])
    return int(encoder.hidden_size)


def _deepseek_ocr_2(sizes: Mapping[str, Any]) -> tuple[Any, Any]:
    from transformers.models.deepseek_ocr2 import configuration_deepseek_ocr2 as of_sizes  # noqa: PLC0415
    from transformers.models.deepseek_ocr2 import modeling_deepseek_ocr2 as of_models  # noqa: PLC0415

    config = of_sizes.DeepseekOcr2VisionConfig(**{"encoder_config": _PUBLISHED_ENCODER, **sizes})
    return of_models.DeepseekOcr2VisionModel, config


def _unlimited_ocr(sizes: Mapping[str, Any]) -> tuple[Any, Any]:
    from transformers.models.unlimited_ocr import configuration_unlimited_ocr as of_sizes  # noqa: PLC0415
    from transformers.models.unlimited_ocr import modeling_unlimited_ocr as of_models  # noqa: PLC0415

    return of_models.UnlimitedOcrVisionModel, of_sizes.UnlimitedOcrVisionConfig(**sizes)


# Class and configuration of each, from what a config states of their sizes.
_FAMILIES: Mapping[Family, Callable[[Mapping[str, Any]], tuple[Any, Any]]] = {
    Family.DEEPSEEK_OCR_2: _deepseek_ocr_2,
    Family.UNLIMITED_OCR: _unlimited_ocr,
}
