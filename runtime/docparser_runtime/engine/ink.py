"""Images of single lines, cut out of the page, and where the ink is in them."""

import cv2
import numpy as np
from numpy.typing import NDArray

from docparser_runtime.engine.base import Box
from docparser_runtime.layout.lines import TextLine, type_size

Mask = NDArray[np.bool_]

LEVEL_RISE = 0.02
"""Rise, as a share of its length, up to which a line of a level page is level: the slope of
short lines is a matter of their letters."""
LEVEL_PIXELS = 1.5
UPRIGHT_RATIO = 1.5
"""Regions that are this much higher than wide hold text that runs upwards."""
APART = 0.4
"""Gap, as a share of a line's height, that is no gap between letters."""
DETACHED = 0.15
"""Ink this far from the rest, as a share of the rest's height, belongs to another line."""


def line_image(pixels: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the region with the given corners, clockwise from its top left, turned level."""
    along, down = np.abs(corners[1] - corners[0]), np.abs(corners[3] - corners[0])
    if max(along[1], down[0]) <= max(LEVEL_PIXELS, LEVEL_RISE * max(along[0], down[1])):
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
    ink = ink_of(image)
    rows = line_rows(ink)
    columns = line_columns(ink[slice(*rows)])
    size = type_size(text, rows[1] - rows[0])
    if right - left >= bottom - top:
        top, bottom = top + rows[0], bottom - (height - rows[1])
        left, right = left + columns[0], right - (width - columns[1])
    return TextLine(text, Box(left, top, right, bottom), size, confidence)


def line_rows(ink: Mask) -> tuple[int, int]:
    """Return the first row of the line's ink and the row behind its last.

    Letters of the lines above and below that reach into the image do not count.
    """
    amounts = ink.sum(axis=1)
    runs = runs_of(amounts > 0)
    if not runs:
        return 0, len(ink)
    start, end = max(runs, key=lambda run: int(amounts[run[0] : run[1]].sum()))
    reach = DETACHED * (end - start)
    for first, behind in reversed(runs):
        if behind <= start and start - behind <= reach:
            start = first
    for first, behind in runs:
        if first >= end and first - end <= reach:
            end = behind
    return start, end


def line_columns(ink: Mask) -> tuple[int, int]:
    """Return the first column with the line's ink and the column behind the last.

    What touches the edge and stands apart is a letter of the next column.
    """
    runs = runs_of(np.asarray(ink.any(axis=0)))
    apart = APART * len(ink)
    if len(runs) > 1 and runs[0][0] == 0 and runs[1][0] - runs[0][1] >= apart:
        runs = runs[1:]
    if len(runs) > 1 and runs[-1][1] == ink.shape[1] and runs[-1][0] - runs[-2][1] >= apart:
        runs = runs[:-1]
    return (runs[0][0], runs[-1][1]) if runs else (0, ink.shape[1])


def ink_of(image: NDArray[np.uint8]) -> Mask:
    """Return where the ink is: the rarer of dark and light, split as Otsu (1979) does."""
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_BGR2GRAY)
    threshold, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    dark = np.asarray(grey <= threshold)
    return dark if dark.mean() <= 0.5 else ~dark  # noqa: PLR2004 - half


def runs_of(marks: Mask) -> list[tuple[int, int]]:
    """Return start and end of each run of marks."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], marks.astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]
