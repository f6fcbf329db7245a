"""Reads one page, in as many attempts as it takes."""

import time
from dataclasses import dataclass

from docparser_api.model_sizes import Family

from docparser_runtime.engine.base import PageImage, PageResult
from docparser_runtime.engine.generation.page_text import PageSize
from docparser_runtime.engine.generation.stopping import Stop
from docparser_runtime.engine.generation.tiling import Layout, layout, max_tiles
from docparser_runtime.engine.generation.vram_guard import smaller_tiles
from docparser_runtime.engine.gpu.attempts import (
    Attempt,
    GenerationFailed,
    MemoryShort,
    generation_of,
)
from docparser_runtime.engine.gpu.loop import Loop
from docparser_runtime.engine.gpu.prompting import Prompting
from docparser_runtime.engine.gpu.reading import PageReading
from docparser_runtime.engine.gpu.vision.pixels import cut
from docparser_runtime.engine.listening import Listener
from docparser_runtime.engine.tiers import Chosen, Tier

# A page whose text went round in circles is read once more, less strictly.
_TEMPERATURES = (0.0, 0.4)


@dataclass(frozen=True)
class Desk:
    """What pages are read with.

    Attributes:
        family: the model.
        prompting: makes the jobs.
        loop: does them.
    """

    family: Family
    prompting: Prompting
    loop: Loop


class PageTask:
    """One page for one listener.

    Args:
        desk: what it is read with.
        page: its image.
        most_tokens: tokens that may be written in an attempt; None for as many as any page needs.
        listener: hears of the text.
    """

    def __init__(
        self, desk: Desk, page: PageImage, most_tokens: int | None, listener: Listener
    ) -> None:
        self._desk = desk
        self._page = page
        self._most_tokens = most_tokens
        self._listener = listener
        self._attempts: list[Attempt] = []
        self._began = time.monotonic()

    def read(self, tier: Chosen) -> PageResult:
        """Return what stands on the page, looked at as closely as `tier` says or memory allows.

        Raises:
            Unwanted: the listener does not want the page any more.
            GenerationFailed: the page cannot be read.
        """
        view = self._layout(max_tiles(self._desk.family, tier.tier))
        for temperature in _TEMPERATURES:
            used = self._read_at(view, temperature)
            if used is not view:
                tier, view = Chosen(self._tier_of(used), lowered=True), used
            if self._attempts[-1].stop is not Stop.LOOP:
                break
        return self._result(view, tier)

    def _read_at(self, view: Layout, temperature: float) -> Layout:
        """Read the page, cut into less where memory is short; return how it was cut."""
        while True:
            try:
                self._attempt(view, temperature)
            except MemoryShort as error:
                tiles = smaller_tiles(self._desk.family, view.grid.tiles)
                if tiles is None:
                    raise GenerationFailed(str(error)) from None
                view = self._layout(tiles)
            else:
                return view

    def _attempt(self, view: Layout, temperature: float) -> None:
        if self._attempts:
            self._listener.began_anew()
        desk, page = self._desk, self._page
        size = PageSize(page.width, page.height)
        attempt = Attempt(PageReading(desk.family, size, desk.prompting.stream()))
        self._attempts.append(attempt)
        job = desk.prompting.job(cut(page.pixels, view), self._most_tokens, temperature)
        desk.loop.submit(job)
        attempt.follow(job, desk.loop, self._listener)

    def _layout(self, tiles: int) -> Layout:
        return layout(self._desk.family, self._page.width, self._page.height, tiles)

    def _tier_of(self, view: Layout) -> Tier:
        is_whole = not view.grid.tiles
        return Tier.LOW if is_whole else Tier.MEDIUM

    def _result(self, view: Layout, tier: Chosen) -> PageResult:
        last = self._attempts[-1].page
        if last is None:
            raise RuntimeError("the last attempt is not over")
        return PageResult(
            markdown=last.markdown,
            blocks=last.blocks,
            vision_tokens=view.vision_tokens,
            truncated=last.truncated,
            repetition=last.repetition,
            tier=tier.tier,
            lowered=tier.lowered,
            generation=generation_of(self._attempts, self._began),
        )
