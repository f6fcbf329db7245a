"""Pages per second from pixels to text, with random weights: everything but the files."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from docparser_api.model_sizes import Family
from tokenizers import Tokenizer, decoders, models

from docparser_runtime.engine.base import PageImage, PageResult
from docparser_runtime.engine.gpu.assembly import Place, best_place, desk_for
from docparser_runtime.engine.gpu.loading import LoadReport
from docparser_runtime.engine.gpu.model import LoadedModel
from docparser_runtime.engine.gpu.pages import Desk, PageTask
from docparser_runtime.engine.gpu.reading import TextTokenizer
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.sizing import sizes_for
from docparser_runtime.engine.gpu.vision.encoder import VisionEncoder
from docparser_runtime.engine.gpu.weights import DecoderWeights
from docparser_runtime.engine.listening import UNHEARD
from docparser_runtime.engine.tiers import Chosen, Tier

# An A4 page at 150 dpi.
_WIDTH, _HEIGHT = 1240, 1754


def end_to_end(family: Family, pages: int, tokens: int, sequences: int) -> dict[str, Any]:
    """Return the figures of `pages` A4 pages at the highest tier, all asked for at once.

    Args:
        family: the model, at its published sizes.
        pages: how many.
        tokens: written for each.
        sequences: pages that are written at once.
    """
    place, shape = best_place(), DecoderShape()
    model = random_model(family, {}, shape, place)
    sizes = sizes_for(family, place.device, sequences, shape.max_positions)
    desk = desk_for(family, model, TextTokenizer(word_tokenizer()), sizes, place)
    read(desk, 2, tokens)
    found = read(desk, pages, tokens)
    desk.loop.close()
    if place.device.type == "cuda":
        found["peak_bytes"] = torch.cuda.max_memory_reserved(place.device)
        found["planned_bytes"] = sizes.planned_bytes
    return found


def random_model(
    family: Family, config: Mapping[str, Any], shape: DecoderShape, place: Place
) -> LoadedModel:
    """Return a model of random weights; `config` tells the sizes of its encoders, as a hub's."""
    weights = DecoderWeights.random(shape, place.device, place.dtype)
    vision = VisionEncoder(family, config, shape.hidden, place.device, place.dtype)
    return LoadedModel(shape, weights, vision, LoadReport(0, 0, 0.0))


def read(desk: Desk, pages: int, tokens: int) -> dict[str, Any]:
    """Return pages and tokens per second, and how long pages took from the start."""
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (_HEIGHT, _WIDTH, 3), np.uint8)
    begin = time.perf_counter()

    def one(index: int) -> tuple[PageResult, float]:
        task = PageTask(desk, PageImage(index, pixels), tokens, UNHEARD)
        return task.read(Chosen(Tier.HIGH, lowered=False)), time.perf_counter() - begin

    with ThreadPoolExecutor(pages) as threads:
        results = list(threads.map(one, range(pages)))
    seconds = time.perf_counter() - begin
    written = sum(result.generation.tokens for result, _ in results if result.generation)
    return {
        "pages": pages,
        "tokens_per_page": written / pages,
        "pages_per_second": pages / seconds,
        "tokens_per_second": written / seconds,
        "latency_seconds": _percentiles([moment for _, moment in results]),
    }


def _percentiles(moments: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": float(np.percentile(moments, share)) for share in (50, 99)}


def word_tokenizer() -> Tokenizer:
    """Return a tokenizer that knows a single word: the text is of no account."""
    tokenizer = Tokenizer(models.WordLevel({"word": 2}, unk_token="word"))  # noqa: S106 - a word
    tokenizer.decoder = decoders.Fuse()
    return tokenizer
