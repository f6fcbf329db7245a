# mypy: disable-error-code="import-untyped"
"""The parts of the benchmark, and what they run on."""

import datetime as dt
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
import triton
from docparser_api.model_sizes import Family

from docparser_runtime.bench.agreement import agreement
from docparser_runtime.bench.decoding import (
    PAGE_TOKENS,
    WINDOW,
    modes,
    page_gate,
    step_rows,
    step_time,
)
from docparser_runtime.bench.peer import generate_step_seconds
from docparser_runtime.bench.scene import Scene, scene, sequences
from docparser_runtime.bench.timing import copy_bandwidth
from docparser_runtime.engine.gpu.shapes import DecoderShape
from docparser_runtime.engine.gpu.weights import DecoderWeights

_STEP_CASES = (
    (1, 273), (1, 1121), (1, 8192), (1, 27_300), (4, 1721), (8, 1721), (16, 1721), (32, 1721),
    (64, 1121), (64, 1421), (64, 1721), (128, 1721),
)  # fmt: skip
_PAGES = (10, 100, 1000)
_REFERENCE, _GENERATED = 27_300, 8_000


def measured(parts: Sequence[str], positions: int) -> dict[str, Any]:
    """Return the figures of `parts`; a part that needs what the machine lacks says so."""
    result = _machine()
    result["copy_bytes_per_second"] = bandwidth = copy_bandwidth()
    for name in parts:
        sys.stderr.write(f"docparser-bench: {name}\n")
        result[name] = _PART[name](bandwidth, positions)
        sys.stderr.write(json.dumps(result[name]) + "\n")
    return result


def _machine() -> dict[str, Any]:
    return {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "weights": "random, real size, bfloat16",
    }


def _scene(blocks: int, positions: int) -> Scene:
    torch.cuda.empty_cache()
    shape = DecoderShape()
    weights = DecoderWeights.random(shape, "cuda", torch.bfloat16, seed=1)
    return scene(weights, shape, blocks, positions)


def _steps(bandwidth: float, _: int) -> Any:

    # As many blocks as the largest case needs, so that no row is read twice.
    blocks = max(batch * (context // 32 + 3) for batch, context in _STEP_CASES) + 1
    return step_rows(_scene(blocks, 32_768), _STEP_CASES, bandwidth)


def _modes(_: float, __: int) -> Any:
    at = _scene(32 * ((_REFERENCE + _GENERATED) // 32 + 3), 65_536)
    found = [modes(at, batch, _REFERENCE, _GENERATED, whole_step=False) for batch in (1, 8, 32)]
    return [*found, modes(at, 32, _REFERENCE, _GENERATED, whole_step=True)]


def _pages(_: float, __: int) -> Any:
    at = _scene(_PAGES[-1] * PAGE_TOKENS // 32 + 64, 400_000).windowed(WINDOW)
    found = {}
    for pages in _PAGES:
        reference = pages * PAGE_TOKENS
        state = sequences(at, 1, reference, _GENERATED)
        found[str(pages)] = step_time(at, state, 1, page_gate(reference)) * 1000
    return {"step_ms": found, "most_over_least": max(found.values()) / min(found.values())}


def _agreement(_: float, positions: int) -> Any:
    return agreement(_scene(256, 8192), positions)


def _peer(_: float, __: int) -> Any:
    at = _scene(64, 8192)
    ours = step_time(at, sequences(at, 1, 1121), 1)
    del at
    torch.cuda.empty_cache()
    theirs = generate_step_seconds(DecoderShape(), 1121, 32)
    return {"ours_ms": ours * 1000, "transformers_ms": theirs * 1000, "times": theirs / ours}


def _reading(_: float, __: int) -> Any:
    from docparser_runtime.bench.reading import end_to_end  # noqa: PLC0415 - with transformers

    torch.cuda.empty_cache()
    return end_to_end(Family.DEEPSEEK_OCR_2, pages=256, tokens=800, sequences=192)


def _loading(_: float, __: int) -> Any:
    from docparser_runtime.bench.loading import published_first_token  # noqa: PLC0415

    torch.cuda.empty_cache()
    return published_first_token()


_PART: dict[str, Callable[[float, int], Any]] = {
    "steps": _steps,
    "modes": _modes,
    "pages": _pages,
    "agreement": _agreement,
    "peer": _peer,
    "reading": _reading,
    "loading": _loading,
}
