"""Which engine belongs to which name. Heavy modules are imported only for the chosen engine."""

import os
from collections.abc import Callable, Mapping

import docparser_api.runtime as api

from docparser_runtime.engine.base import Engine


def create_engine(model: api.ModelSpec, config: api.RuntimeConfig) -> Engine:
    """Return the engine that `model` names, not yet loaded."""
    return _FACTORIES[model.engine](config)


def _rapidocr(config: api.RuntimeConfig) -> Engine:
    # onnxruntime looks when it is imported. Unless told not to, it keeps an identity of this
    # machine and a database below HOME, and sends what it collects to its makers.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415

    from docparser_runtime.engine.rapidocr import RapidOcrEngine  # noqa: PLC0415

    onnxruntime.disable_telemetry_events()
    return RapidOcrEngine(config.engine_threads)


def _fake(config: api.RuntimeConfig) -> Engine:
    from docparser_runtime.engine.fake import FakeEngine  # noqa: PLC0415

    return FakeEngine(config.fake)


_FACTORIES: Mapping[api.Engine, Callable[[api.RuntimeConfig], Engine]] = {
    "rapidocr": _rapidocr,
    "fake": _fake,
}
