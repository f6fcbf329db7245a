"""Images of single lines, cut out of the page, and where the ink is in them."""

import cv2
import numpy as np
from numpy.typing import NDArray

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.lines import TextLine, type_size

LEVEL_PIXELS = 1.5
"""A line that rises by less is cut out without turning it, which keeps it sharp."""
UPRIGHT_RATIO = 1.5
"""Regions that are this much higher than wide hold text that runs upwards."""
DETACHED = 0.15
"""Ink this far from the rest, as a share of the rest's height, belongs to another line."""


def line_image(pixels: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the region with the given corners, clockwise from its top left, turned level."""
    if np.ptp(corners[:2, 1]) < LEVEL_PIXELS and np.ptp(corners[[0, 3], 0]) < LEVEL_PIXELS:
        last = np.array(pixels.shape[1::-1]) - 1
        left, top = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, last)
        right, bottom = np.ceil(corners.max(axis=0)).astype(int)
        image = pixels[top : max(bottom, top + 1), left : max(right, left + 1)]
    else:
        width = max(1, round(float(np.linalg.norm(corners[1] - corners[0]))))
        height = max(1, round(float(np.linalg.norm(corners[3] - corners[0]))))
        target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        turn = cv2.getPerspectiveTransform(corners, target)
        image = np.asarray(
            cv2.warpPerspective(
                pixels,
                turn,
                (width, height),
                flags=cv2.INTER_CUBIC,
                borderMode=cv2.BORDER_REPLICATE,
            ),
            np.uint8,
        )
    if image.shape[0] >= UPRIGHT_RATIO * image.shape[1]:
        image = np.rot90(image)
    return image


def text_line(
    image: NDArray[np.uint8], corners: NDArray[np.float32], text: str, confidence: float
) -> TextLine:
    """Return the line that was cut out as `image` and read as `text`."""
    left, top = (float(value) for value in corners.min(axis=0))
    right, bottom = (float(value) for value in corners.max(axis=0))
    height, width = image.shape[:2]
    rows = ink_rows(image)
    size = type_size(text, rows[1] - rows[0])
    columns = ink_columns(image)
    if right - left >= bottom - top:
        top, bottom = top + rows[0], bottom - (height - rows[1])
        left, right = left + columns[0], right - (width - columns[1])
    return TextLine(text, Box(left, top, right, bottom), size, confidence)


def ink_rows(image: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the first row of the line's ink and the row behind its last.

    Letters of the lines above and below that reach into the image do not count.
    """
    ink = ink_of(image).sum(axis=1)
    runs = runs_of(np.asarray(ink > 0))
    if not runs:
        return 0, image.shape[0]
    start, end = max(runs, key=lambda run: int(ink[run[0] : run[1]].sum()))
    reach = DETACHED * (end - start)
    for first, behind in reversed(runs):
        if behind <= start and start - behind <= reach:
            start = first
    for first, behind in runs:
        if first >= end and first - end <= reach:
            end = behind
    return start, end


def ink_columns(image: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the first column with ink and the column behind the last."""
    runs = runs_of(np.asarray(ink_of(image).any(axis=0)))
    return (runs[0][0], runs[-1][1]) if runs else (0, image.shape[1])


def ink_of(image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return where the ink is: the rarer of dark and light, split as Otsu (1979) does."""
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2GRAY)
    threshold, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    dark = np.asarray(grey <= threshold)
    return dark if dark.mean() <= 0.5 else ~dark  # noqa: PLR2004 - half


def runs_of(marks: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return start and end of each run of marks."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], marks.astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]
