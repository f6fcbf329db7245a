"""Time from files of weights to the first token, with random weights in the layout of the hub."""

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from docparser_api.model_sizes import Family
from safetensors.torch import save_file
from torch import Tensor

from docparser_runtime.bench.reading import random_model, word_tokenizer
from docparser_runtime.engine.gpu.assembly import Place, best_place
from docparser_runtime.engine.gpu.engine import GpuEngine
from docparser_runtime.engine.gpu.loading import decoder_tensors
from docparser_runtime.engine.gpu.model import LoadedModel
from docparser_runtime.engine.gpu.places import decoder_places, vision_places
from docparser_runtime.engine.gpu.shapes import DecoderShape

# As the hub's config.json of DeepSeek-OCR-2 has it, as far as anybody reads it.
PUBLISHED: Mapping[str, Any] = {
    "language_config": {
        "hidden_size": 1280,
        "intermediate_size": 6848,
        "max_position_embeddings": 8192,
        "moe_intermediate_size": 896,
        "n_routed_experts": 64,
        "n_shared_experts": 2,
        "num_attention_heads": 10,
        "num_experts_per_tok": 6,
        "num_hidden_layers": 12,
        "vocab_size": 129_280,
    }
}


def first_token(family: Family, config: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Return how long it takes to load a model of `config` from warm files and to read a page."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        _write(family, config, place, folder)
        if place.device.type == "cuda":
            torch.cuda.empty_cache()
        # Once before, so that the files are in the page cache.
        for path in folder.glob("*.safetensors"):
            path.read_bytes()
        begin = time.perf_counter()
        engine = GpuEngine(family, folder, 1, place)
        engine.load()
        loaded = time.perf_counter()
        engine.warmup()
        end = time.perf_counter()
        report = engine.load_report
        engine.close()
    return {
        "bytes": report.bytes,
        "gigabytes_per_second": report.gigabytes_per_second,
        "copy_seconds": report.seconds,
        "load_seconds": loaded - begin,
        "first_page_seconds": end - loaded,
        "seconds": end - begin,
    }


def published_first_token() -> dict[str, Any]:
    """Return the figures of DeepSeek-OCR-2 at its published sizes."""
    return first_token(Family.DEEPSEEK_OCR_2, PUBLISHED, best_place())


def _write(family: Family, config: Mapping[str, Any], place: Place, folder: Path) -> None:
    model = random_model(family, config, DecoderShape.from_config(config), place)
    save_file(_named(model), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(word_tokenizer().to_str())


def _named(model: LoadedModel) -> dict[str, Tensor]:
    """Return the tensors of a model as files have them, one for each expert."""
    ours = decoder_tensors(model.weights) | model.vision.tensors()
    sizes = {name: tuple(tensor.shape) for name, tensor in model.vision.tensors().items()}
    named = {}
    for name, pieces in (decoder_places(model.shape, ()) | vision_places(sizes, ())).items():
        (piece,) = pieces
        part = ours[piece.tensor][piece.index] if piece.index else ours[piece.tensor]
        named[name] = part.narrow(0, piece.start, piece.rows).cpu().clone()
    return named
