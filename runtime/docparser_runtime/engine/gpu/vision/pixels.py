"""Cuts a page image for the encoder: its view and its tiles, pixel by pixel as the models expect.

Imports no torch, so that workers of their own can do it while the GPU computes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from docparser_runtime.engine.generation.tiling import PAD_GREY, Layout


@dataclass(frozen=True)
class CutPage:
    """The pixels of one page as the encoder takes them.

    Attributes:
        layout: how the page was cut.
        whole: the page within its view: [side, side, 3] uint8.
        tiles: its tiles, in the order of the layout: [count, side, side, 3] uint8.
    """

    layout: Layout
    whole: NDArray[np.uint8]
    tiles: NDArray[np.uint8]


def cut(pixels: NDArray[np.uint8], layout: Layout) -> CutPage:
    """Return the view and the tiles of a page.

    Args:
        pixels: the page, [height, width, 3], upright.
        layout: for a page of this size.
    """
    page = Image.fromarray(pixels)
    return CutPage(layout, _whole(page, layout), _tiles(page, layout))


def _whole(page: Image.Image, layout: Layout) -> NDArray[np.uint8]:
    side, left, top = layout.view_side, layout.page_left, layout.page_top
    width, height = layout.page_width, layout.page_height
    view = np.full((side, side, 3), PAD_GREY, np.uint8)
    view[top : top + height, left : left + width] = _resized(page, width, height)
    return view


def _tiles(page: Image.Image, layout: Layout) -> NDArray[np.uint8]:
    side = layout.tile_side
    tiles = np.empty((layout.grid.tiles, side, side, 3), np.uint8)
    if len(tiles):
        stretched = _resized(page, layout.tiled_width, layout.tiled_height)
        for tile, (left, top, right, bottom) in zip(tiles, layout.boxes(), strict=True):
            tile[:] = stretched[top:bottom, left:right]
    return tiles


def _resized(page: Image.Image, width: int, height: int) -> NDArray[np.uint8]:
    return np.asarray(page.resize((width, height), Image.Resampling.BICUBIC))
