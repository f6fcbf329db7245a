"""What a line of text says: the recogniser's network and the decoding of its answer.

Decoding is the greedy one of connectionist temporal classification (Graves et
al., ICML 2006): the likeliest class per column, repeats merged, blanks dropped.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

LINE_HEIGHT = 48
"""Height to which lines are scaled, in pixels; the network knows no other."""
LEAST_WIDTH = 320
MOST_WIDTH = 3200
"""Longer lines are squeezed into this width; a bound for the memory of one batch."""
BATCH_PIXELS = 6 * 1200
"""Lines of similar length are read together until their widths add up to this."""
MOST_PADDING = 1.4
"""Lines in one batch differ in length by this ratio at most: much padding costs accuracy."""
BLANK = 0

Reading = tuple[str, float]
"""A text and the mean probability of its characters; an empty text has 0."""


class Recognizer:
    """Reads images of lines. May be called from several threads at once."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self._input = session.get_inputs()[0].name
        characters = session.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._alphabet = ["", *characters, " "]

    def readings(self, lines: Sequence[NDArray[np.uint8]]) -> list[Reading]:
        """Return what each BGR image of a line says."""
        widths = [_scaled_width(line) for line in lines]
        readings: list[Reading] = [("", 0.0)] * len(lines)
        for batch in batches(widths):
            shape = (len(batch), 3, LINE_HEIGHT, max(LEAST_WIDTH, *(widths[i] for i in batch)))
            images = np.zeros(shape, np.float32)
            for row, index in enumerate(batch):
                scaled = cv2.resize(lines[index], (widths[index], LINE_HEIGHT))
                normal = (scaled.astype(np.float32) / 255 - 0.5) / 0.5
                images[row, :, :, : widths[index]] = normal.transpose(2, 0, 1)
            answer = self._session.run(None, {self._input: images})[0]
            for row, index in enumerate(batch):
                readings[index] = decoded(np.asarray(answer)[row], self._alphabet)
        return readings


def batches(widths: Sequence[int]) -> list[list[int]]:
    """Return the positions in `widths` grouped by similar width, each group within the budget."""
    groups: list[list[int]] = []
    for index in sorted(range(len(widths)), key=lambda position: widths[position]):
        # Ascending, so this line is the widest and the whole batch is padded to it.
        padded = max(LEAST_WIDTH, widths[index])
        if groups and _fits(len(groups[-1]), padded, max(LEAST_WIDTH, widths[groups[-1][0]])):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _fits(count: int, padded: int, narrowest: int) -> bool:
    return (count + 1) * padded <= BATCH_PIXELS and padded <= MOST_PADDING * narrowest


def decoded(probabilities: NDArray[np.float32], alphabet: Sequence[str]) -> Reading:
    """Return the text of one line from its (columns, classes) probabilities."""
    classes = probabilities.argmax(axis=1)
    is_new = np.concatenate(([True], classes[1:] != classes[:-1]))
    kept = is_new & (classes != BLANK)
    if not kept.any():
        return "", 0.0
    text = "".join(alphabet[index] for index in classes[kept])
    return text.strip(), float(probabilities.max(axis=1)[kept].mean())


def _scaled_width(line: NDArray[np.uint8]) -> int:
    height, width = line.shape[:2]
    return min(MOST_WIDTH, max(1, math.ceil(LINE_HEIGHT * int(width) / int(height))))
