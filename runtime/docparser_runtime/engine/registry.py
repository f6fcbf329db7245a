"""Which engine belongs to which name. Heavy modules are imported only for the chosen engine."""

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import docparser_api.runtime as api
from docparser_api.model_sizes import Family

from docparser_runtime.engine.apart.engine import ApartEngine
from docparser_runtime.engine.apart.messages import Load
from docparser_runtime.engine.base import Engine, EngineLoadError
from docparser_runtime.engine.tiers import ALL_TIERS
from docparser_runtime.engine.traits import Traits
from docparser_runtime.weights.places import IN_A_POD, Places


def create_engine(
    model: api.ModelSpec, config: api.RuntimeConfig, places: Places = IN_A_POD
) -> Engine:
    """Return the engine that `model` names, not yet loaded; some live in a process of their own.

    Raises:
        EngineLoadError: its weights were not verified, or the image lacks what it needs.
    """
    weights = None
    if model.weights is not None:
        from docparser_runtime.weights.directory import ready_directory  # noqa: PLC0415

        weights = ready_directory(model.weights, places)
    if model.engine not in _APART:
        return create_here(model, config, weights)
    load = Load(
        f"{__name__}:{create_here.__name__}",
        model,
        config,
        None if weights is None else str(weights),
    )
    return ApartEngine(load, traits_of(model, config))


def create_here(model: api.ModelSpec, config: api.RuntimeConfig, weights: Path | None) -> Engine:
    """Return the engine that `model` names in this process, with its weights in this directory.

    Raises:
        EngineLoadError: the image lacks what it needs.
    """
    return _FACTORIES[model.engine](config, weights)


def traits_of(model: api.ModelSpec, config: api.RuntimeConfig) -> Traits:
    """Return what the engine that `model` names can do; imports and loads nothing."""
    return _TRAITS[model.engine](config)


def _rapidocr(config: api.RuntimeConfig, weights: Path | None) -> Engine:
    # onnxruntime looks when it is imported. Unless told not to, it keeps an identity of this
    # machine and a database below HOME, and sends what it collects to its makers.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415

    from docparser_runtime.engine.rapidocr import RapidOcrEngine  # noqa: PLC0415

    onnxruntime.disable_telemetry_events()
    return RapidOcrEngine(config.engine_threads, weights)


def _fake(config: api.RuntimeConfig, weights: Path | None) -> Engine:
    from docparser_runtime.engine.fake import FakeEngine  # noqa: PLC0415

    return FakeEngine(config.fake, weights)


def _generating(name: Family) -> Callable[[api.RuntimeConfig, Path | None], Engine]:
    def create(config: api.RuntimeConfig, weights: Path | None) -> Engine:
        if find_spec("torch") is None:
            raise EngineLoadError(f"the engine {name} needs an image with torch")
        from docparser_runtime.engine.gpu.assembly import best_place  # noqa: PLC0415
        from docparser_runtime.engine.gpu.engine import GpuEngine  # noqa: PLC0415

        return GpuEngine(name, weights, config.max_concurrency, best_place())

    return create


_APART: Final[frozenset[api.Engine]] = frozenset({"deepseek-ocr2", "unlimited-ocr"})
"""Those whose faults, as of a GPU, end the process that they live in."""

_FACTORIES: Mapping[api.Engine, Callable[[api.RuntimeConfig, Path | None], Engine]] = {
    "rapidocr": _rapidocr,
    "deepseek-ocr2": _generating(Family.DEEPSEEK_OCR_2),
    "unlimited-ocr": _generating(Family.UNLIMITED_OCR),
    "fake": _fake,
}

_TRAITS: Mapping[api.Engine, Callable[[api.RuntimeConfig], Traits]] = {
    "rapidocr": lambda _: Traits(),
    "deepseek-ocr2": lambda _: Traits(generates=True, tiers=ALL_TIERS),
    "unlimited-ocr": lambda _: Traits(generates=True, tiers=ALL_TIERS),
    "fake": lambda config: Traits(config.fake.generates, ALL_TIERS),
}
