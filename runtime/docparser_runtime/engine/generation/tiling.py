"""How a page is cut for the encoder: one view of the whole page and, besides, tiles of it.

The rules are those that the models were trained with, to the token.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from docparser_api.model_sizes import MODELS, Family

from docparser_runtime.engine.tiers import Tier

PAD_GREY = 127
"""What surrounds the page in its view, in each channel."""
FEWEST_TILES = 2
_PIXELS_PER_TOKEN = 64
"""Side of the square that becomes one token."""
_MEDIUM_TILES = {Family.DEEPSEEK_OCR_2: 4, Family.UNLIMITED_OCR: 6}


@dataclass(frozen=True)
class Grid:
    """Tiles of a page, in rows from the top, each from the left."""

    columns: int
    rows: int

    @property
    def tiles(self) -> int:
        """How many there are."""
        return self.columns * self.rows


NO_TILES = Grid(0, 0)


@dataclass(frozen=True)
class Layout:
    """What the encoder gets of one page, and how many tokens come of it.

    Attributes:
        family: the model.
        grid: the tiles; the page is stretched to `tiled_width` x `tiled_height` for them.
        page_width: width of the page within its view, in pixels.
        page_height: the same for its height. One of both is the whole side of the view.
    """

    family: Family
    grid: Grid
    page_width: int
    page_height: int

    @property
    def view_side(self) -> int:
        """Width and height of the view, in pixels."""
        return MODELS[self.family].view_side

    @property
    def tile_side(self) -> int:
        """Width and height of a tile, in pixels."""
        return MODELS[self.family].tile_side

    @property
    def page_left(self) -> int:
        """Columns of grey to the left of the page in its view."""
        return (self.view_side - self.page_width) // 2

    @property
    def page_top(self) -> int:
        """Rows of grey above the page in its view."""
        return (self.view_side - self.page_height) // 2

    @property
    def tiled_width(self) -> int:
        """Width to which the page is stretched for its tiles; 0 without."""
        return self.grid.columns * self.tile_side

    @property
    def tiled_height(self) -> int:
        """Height to which the page is stretched for its tiles; 0 without."""
        return self.grid.rows * self.tile_side

    @property
    def vision_tokens(self) -> int:
        """Tokens that show the page, without line ends and separators."""
        return _square(self.view_side) + self.grid.tiles * _square(self.tile_side)

    @property
    def prompt_tokens(self) -> int:
        """Tokens that the page takes in a prompt: all of them."""
        if self.family is Family.DEEPSEEK_OCR_2:
            return self.vision_tokens + 1
        line_ends = self._tokens_per_side(self.view_side)
        line_ends += self.grid.rows * self._tokens_per_side(self.tile_side)
        return self.vision_tokens + line_ends + 1

    @staticmethod
    def _tokens_per_side(side: int) -> int:
        return side // _PIXELS_PER_TOKEN

    def boxes(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield left, top, right and bottom of each tile in the stretched page."""
        side = self.tile_side
        for row in range(self.grid.rows):
            for column in range(self.grid.columns):
                left, top = column * side, row * side
                yield left, top, left + side, top + side

    def order(self) -> Iterator[int]:
        """Yield for each token of the prompt where it comes from, in this row of all sources.

        The tokens of the first tile, those of the others, those of the view, then one line end (in
        family B only) and one separator.
        """
        tile, view = (self._tokens_per_side(side) for side in (self.tile_side, self.view_side))
        view_start = self.grid.tiles * tile**2
        line_end = view_start + view**2
        if self.family is Family.DEEPSEEK_OCR_2:
            yield from range(line_end + 1)
            return
        for row in range(self.grid.rows * tile):
            for column in range(self.grid.columns):
                index = (row // tile) * self.grid.columns + column
                start = index * tile**2 + row % tile * tile
                yield from range(start, start + tile)
            yield line_end
        for row in range(view):
            yield from range(view_start + row * view, view_start + (row + 1) * view)
            yield line_end
        yield line_end + 1


def _square(side: int) -> int:
    return (side // _PIXELS_PER_TOKEN) ** 2


def layout(family: Family, width: int, height: int, max_tiles: int) -> Layout:
    """Return how a page of `width` x `height` pixels is cut into `max_tiles` tiles or fewer.

    Raises:
        ValueError: the page has no pixels, or the family knows no such number of tiles.
    """
    if min(width, height) < 1:
        raise ValueError("a page has at least one pixel")
    model = MODELS[family]
    if max_tiles == 1 or not 0 <= max_tiles <= model.most_tiles:
        raise ValueError(f"{family} takes 0 or 2 to {model.most_tiles} tiles, not {max_tiles}")
    is_tiled = max_tiles > 0 and max(width, height) > model.tile_side
    scale = model.view_side / max(width, height)
    return Layout(
        family,
        closest_grid(width, height, model.tile_side, max_tiles) if is_tiled else NO_TILES,
        # Below half a pixel the models' own code fails.
        max(1, round(width * scale)),
        max(1, round(height * scale)),
    )


def max_tiles(family: Family, tier: Tier) -> int:
    """Return the most tiles of a page at `tier`."""
    if tier is Tier.LOW:
        return 0
    return MODELS[family].most_tiles if tier is Tier.HIGH else _MEDIUM_TILES[family]


def wanted_tier(family: Family, width: int, height: int) -> Tier:
    """Return the tier that a page of this size gets when the choice is the engine's.

    The models were trained to see all tiles of every page that is larger than one.
    """
    return Tier.HIGH if max(width, height) > MODELS[family].tile_side else Tier.LOW


def vision_token_totals(family: Family, max_tiles: int) -> tuple[int, ...]:
    """Return all numbers of vision tokens that a page can have with `max_tiles` tiles or fewer."""
    model = MODELS[family]
    counts = {grid.tiles for grid in _grids(max_tiles)}
    view, tile = _square(model.view_side), _square(model.tile_side)
    return tuple(view + count * tile for count in sorted(counts | {0}))


def closest_grid(width: int, height: int, tile_side: int, most: int) -> Grid:
    """Return the grid of 2 to `most` tiles whose proportions are closest to those of the page.

    Of equally close ones the last is taken, in order of tiles and then of columns, that has no more
    than twice the page's pixels; the first if all have more.
    """
    ratio = width / height
    best, least = NO_TILES, float("inf")
    for grid in _grids(most):
        difference = abs(ratio - grid.columns / grid.rows)
        is_filled = width * height > 0.5 * tile_side**2 * grid.tiles
        if difference < least or (difference == least and is_filled):
            best, least = grid, difference
    return best


@cache
def _grids(most: int) -> tuple[Grid, ...]:
    sides = range(1, most + 1)
    found = [Grid(columns, rows) for columns in sides for rows in sides]
    legal = [grid for grid in found if FEWEST_TILES <= grid.tiles <= most]
    return tuple(sorted(legal, key=lambda grid: grid.tiles))
