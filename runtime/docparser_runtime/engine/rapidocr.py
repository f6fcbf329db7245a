"""The embedded engine: PP-OCRv6 on ONNX Runtime, with the weights that the package rapidocr ships.

Of that package only the weight files are used. Its own pipeline would fetch
files that it misses from the network and sets up logging on import.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from docparser_runtime.engine import heap
from docparser_runtime.engine.base import (
    DeviceUse,
    EngineLoadError,
    PageImage,
    PageResult,
    ParseOptions,
    WeightsInvalid,
)
from docparser_runtime.engine.cpus import usable_cpus
from docparser_runtime.engine.detection import Detector
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.page_lines import PageLines, page_lines, sample_confidence
from docparser_runtime.engine.recognition import Recognizer
from docparser_runtime.engine.selftest import TEXT, page_with_text
from docparser_runtime.engine.tiers import NO_TIERS
from docparser_runtime.engine.turning import View, leveled, lies_on_side, view_of
from docparser_runtime.layout.page import page_result

DETECTION_WEIGHTS = "PP-OCRv6_det_small.onnx"
RECOGNITION_WEIGHTS = "PP-OCRv6_rec_small.onnx"
DOUBTFUL = 0.93
"""Mean confidence below which some lines of a page are also read upside down. Printed text gives
0.99, upside down 0.6, but large letters and figures up to 0.83."""


class RapidOcrEngine:
    """Reads printed text on a CPU. One pair of sessions serves all threads."""

    name = "rapidocr-pp-ocrv6"
    generates = False
    tiers = NO_TIERS

    def __init__(self, threads: int = 0, weights: Path | None = None) -> None:
        """Read with `threads` CPU threads, 0 for all usable, and the files of folder `weights`.

        They bear the names that they have in the package rapidocr: `PP-OCRv6_det_small.onnx` and
        `PP-OCRv6_rec_small.onnx`.
        """
        self._threads = threads or usable_cpus()
        self._weights = weights
        self._models: tuple[Detector, Recognizer] | None = None

    def load(self) -> None:
        """Load the weights.

        Raises:
            WeightsInvalid: a file is missing or damaged.
        """
        folder = self._weights or packaged_weights()
        for name in (DETECTION_WEIGHTS, RECOGNITION_WEIGHTS):
            if not (folder / name).is_file():
                raise WeightsInvalid(f"The weights in {folder} lack the file {name}.")
        # OpenCV has threads of its own and knows nothing of quotas.
        cv2.setNumThreads(self._threads)
        try:
            self._models = (
                Detector(self._session(folder / DETECTION_WEIGHTS)),
                Recognizer(self._session(folder / RECOGNITION_WEIGHTS)),
            )
        except Exception as error:
            raise WeightsInvalid(f"The weights in {folder} cannot be loaded: {error}") from error

    def warmup(self) -> None:
        """Read a page whose text is known."""
        read = self.parse(page_with_text(), ParseOptions(max_new_tokens=1)).markdown
        if read.split() != TEXT.split():
            raise WeightsInvalid(f"The engine reads {read!r} where {TEXT!r} stands.")

    def parse(
        self,
        page: PageImage,
        options: ParseOptions,  # noqa: ARG002
        listener: Listener = UNHEARD,  # noqa: ARG002
    ) -> PageResult:
        """Return what stands on `page`."""
        try:
            return self._parsed(page)
        finally:
            heap.give_back()

    def devices(self) -> Sequence[DeviceUse]:
        """Return nothing: it reads on the CPU."""
        return ()

    def _parsed(self, page: PageImage) -> PageResult:
        if self._models is None:
            raise RuntimeError("parse before load")
        detector, recognizer = self._models
        # The networks were trained on images with blue first.
        pixels = np.ascontiguousarray(page.pixels[:, :, ::-1])
        view = view_of(pixels, detector.regions(pixels))
        if lies_on_side(view.regions):
            sides = (view.turned(90), view.turned(270))
            view = _found_anew(
                max(sides, key=lambda side: sample_confidence(side, recognizer)), detector
            )
        read = page_lines(leveled(view), recognizer)
        if read.lines and read.confidence < DOUBTFUL and _is_better_over(read, recognizer):
            over = page_lines(leveled(_found_anew(view.turned(180), detector)), recognizer)
            read = max(read, over, key=lambda lines: lines.confidence)
        return _result(read, page)

    def close(self) -> None:
        """Free the sessions."""
        self._models = None

    def _session(self, path: Path) -> onnxruntime.InferenceSession:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # Pages differ in size: an arena would keep the largest for ever. Threads
        # that spin while they wait would burn the quota of the container.
        options.enable_cpu_mem_arena = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(
            path, sess_options=options, providers=["CPUExecutionProvider"]
        )


def _found_anew(view: View, detector: Detector) -> View:
    """Return the view with its lines found in the turned pixels, where they are found best."""
    return replace(view, regions=detector.regions(view.pixels))


def _is_better_over(read: PageLines, recognizer: Recognizer) -> bool:
    return sample_confidence(read.view.turned(180), recognizer) > read.confidence


def _result(read: PageLines, page: PageImage) -> PageResult:
    result = page_result(read.lines, read.grids)
    blocks = [
        replace(block, box=read.view.box_on_page(block.box, page.width, page.height))
        for block in result.blocks
    ]
    return replace(result, blocks=tuple(blocks), rotation_degrees=read.view.clockwise_degrees)


def packaged_weights() -> Path:
    """Return the folder of the weight files in the package rapidocr.

    Raises:
        EngineLoadError: the package is not installed.
    """
    # Finding is not importing: nothing of the package runs.
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise EngineLoadError("The package rapidocr, which brings the weights, is not installed.")
    return Path(spec.origin).parent / "models"
