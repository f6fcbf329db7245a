"""A model of either family in memory, from a directory laid out like the hub's."""

from dataclasses import dataclass
from pathlib import Path

import torch
from docparser_api.model_sizes import Family

from docparser_runtime.engine.gpu.loading import (
    LoadReport,
    decoder_tensors,
    fill,
    read_config,
    tensor_files,
)
from docparser_runtime.engine.gpu.places import decoder_places, vision_places
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.vision.encoder import VisionEncoder
from docparser_runtime.engine.gpu.weights import DecoderWeights


@dataclass(frozen=True)
class LoadedModel:
    """What a directory held.

    Attributes:
        shape: sizes of the decoder.
        weights: its weights.
        vision: the vision side.
        report: how the load went.
    """

    shape: DecoderShape
    weights: DecoderWeights
    vision: VisionEncoder
    report: LoadReport


def load_model(
    directory: Path, family: Family, device: torch.device, dtype: torch.dtype
) -> LoadedModel:
    """Load the model of `family` that lies in `directory`.

    Raises:
        WeightsInvalid: something there is missing, damaged, too much or of another size; names it.
    """
    config = read_config(directory)
    shape = DecoderShape.from_config(config)
    files = tensor_files(directory)
    weights = DecoderWeights.empty(shape, device, dtype)
    vision = VisionEncoder(family, config, shape.hidden, device, dtype)
    tensors = vision.tensors()
    sizes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    places = decoder_places(shape, files) | vision_places(sizes, files)
    report = fill(directory, files, places, decoder_tensors(weights) | tensors)
    return LoadedModel(shape, weights, vision, report)
