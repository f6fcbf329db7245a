"""The engine of both model families: pages in, Markdown out, many pages at once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from docparser_api.model_sizes import Family

from docparser_runtime.engine.base import (
    DeviceUse,
    EngineLoadError,
    PageImage,
    PageResult,
    ParseOptions,
    WeightsInvalid,
)
from docparser_runtime.engine.generation.tiling import wanted_tier
from docparser_runtime.engine.gpu.assembly import Place, desk_for, tokenizer_in
from docparser_runtime.engine.gpu.loading import LoadReport
from docparser_runtime.engine.gpu.model import load_model
from docparser_runtime.engine.gpu.pages import PageTask
from docparser_runtime.engine.gpu.sizing import Sizes, sizes_for
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.tiers import ALL_TIERS, chosen

_WARMUP_TOKENS = 4
_MOST_BYTES_ON_A_CPU = 1024**3


class GpuEngine:
    """Reads pages with a model of `family`.

    Args:
        family: the model.
        weights: directory laid out like the hub's; None if the configuration names none.
        sequences: pages that are read at once.
        place: where it computes.
    """

    generates = True
    tiers = ALL_TIERS

    def __init__(self, family: Family, weights: Path | None, sequences: int, place: Place) -> None:
        self.name = str(family)
        self._family = family
        self._weights = weights
        self._sequences = sequences
        self._place = place
        self._loaded: _Loaded | None = None

    def load(self) -> None:
        """Load the weights, set all memory aside and begin to wait for pages.

        Raises:
            EngineLoadError: weights are missing, damaged or of another model, or do not fit.
        """
        if self._weights is None:
            raise WeightsInvalid(f"{self.name} has no weights of its own: name some")
        self._loaded = _Loaded(self._family, self._weights, self._sequences, self._place)

    @property
    def load_report(self) -> LoadReport:
        """How the load went.

        Raises:
            RuntimeError: it has not.
        """
        return self._ready().report

    def warmup(self) -> None:
        """Read a blank page, so that everything has run once.

        Raises:
            EngineLoadError: it fails.
        """
        side = 2 * 1024
        blank = PageImage(0, np.full((side, side, 3), 255, np.uint8))
        try:
            self.parse(blank, ParseOptions(max_new_tokens=_WARMUP_TOKENS))
        except RuntimeError as error:
            raise EngineLoadError(f"a blank page cannot be read: {error}") from error

    def parse(
        self, page: PageImage, options: ParseOptions, listener: Listener = UNHEARD
    ) -> PageResult:
        """Return what stands on `page`; once more, less strictly, if the text goes in circles.

        Raises:
            Unwanted: the listener does not want the page any more.
            GenerationFailed: the page cannot be read.
        """
        desk = self._ready().desk
        choice = wanted_tier(self._family, page.width, page.height)
        task = PageTask(desk, page, options.max_new_tokens, listener)
        return task.read(chosen(options.tier, options.at_most, choice))

    def devices(self) -> Sequence[DeviceUse]:
        """Return what it takes of its GPU."""
        device = self._place.device
        if device.type != "cuda" or self._loaded is None:
            return ()
        free, total = torch.cuda.mem_get_info(device)
        return (
            DeviceUse(
                str(device.index),
                memory_used_bytes=total - free,
                memory_peak_bytes=torch.cuda.max_memory_reserved(device),
                memory_planned_bytes=self._loaded.sizes.planned_bytes,
            ),
        )

    def close(self) -> None:
        """Leave off whatever is being read, and free the memory."""
        if self._loaded is not None:
            self._loaded.desk.loop.close()
            self._loaded = None

    def _ready(self) -> "_Loaded":
        if self._loaded is None:
            raise RuntimeError("the engine is not loaded")
        return self._loaded


class _Loaded:
    """What an engine has from `load` to `close`."""

    def __init__(self, family: Family, weights: Path, sequences: int, place: Place) -> None:
        if place.device.type == "cpu":
            _refuse_large(weights)
        tokenizer = tokenizer_in(weights)
        model = load_model(weights, family, place.device, place.dtype)
        self.report = model.report
        self.sizes: Sizes = sizes_for(family, place.device, sequences, model.shape.max_positions)
        self.desk = desk_for(family, model, tokenizer, self.sizes, place)


def _refuse_large(weights: Path) -> None:
    # A pod whose GPU is missing has to say so, instead of taking minutes for each page.
    size = sum(path.stat().st_size for path in weights.glob("*.safetensors"))
    if size > _MOST_BYTES_ON_A_CPU:
        raise EngineLoadError("no GPU is there; on a CPU a model of this size is too slow")
