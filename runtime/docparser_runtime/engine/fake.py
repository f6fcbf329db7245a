"""An engine without a model: for load tests, demonstrations and tests of everything around it."""

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from docparser_api.runtime import FakeConfig

from docparser_runtime.engine.base import (
    Block,
    BlockKind,
    Box,
    DeviceUse,
    PageImage,
    PageResult,
    ParseOptions,
    WeightsInvalid,
)
from docparser_runtime.engine.fake_writing import Writing, written
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.tiers import ALL_TIERS, Tier, chosen

TEXT_FILE: Final = "fake.md"
"""File among the weights that holds the text of every page."""
CRASH_EXIT_CODE: Final = 139
"""What a container reports whose process touched memory that is not its own (128 + SIGSEGV)."""
VISION_TOKENS: Final = {Tier.LOW: 256, Tier.MEDIUM: 832, Tier.HIGH: 1120}
"""Tokens of a page's image: its overview and no, four or six tiles of it."""
_PERCENT: Final = 100


class FakeEngine:
    """Answers with a given text, or with one that depends only on the page's position and size.

    Loading and reading take the time that the configuration says, and fail as often as it says.
    Faults come by counting, not by chance: of any n documents or pages in a row, the share that the
    configuration names is faulty, give or take one. A document is counted at its first page, and
    fails there.
    """

    name = "fake"
    tiers = ALL_TIERS

    def __init__(self, config: FakeConfig, weights: Path | None = None) -> None:
        self.generates = config.generates
        self._config = config
        self._weights = weights
        self._text = config.text
        self._lock = threading.Lock()
        self._documents = 0
        self._pages = 0
        self._leaked: list[bytes] = []

    def load(self) -> None:
        """Wait `loadMilliseconds` and read the text of the weights, unless `text` replaces it.

        Raises:
            WeightsInvalid: the file is there but cannot be read.
        """
        time.sleep(self._config.load_milliseconds / 1000)
        if self._text is None and self._weights is not None:
            self._text = _text_of(self._weights / TEXT_FILE)

    def warmup(self) -> None:
        """Succeed: there is nothing that could be wrong."""

    def parse(
        self, page: PageImage, options: ParseOptions, listener: Listener = UNHEARD
    ) -> PageResult:
        """Wait `pageMilliseconds` and return the text, or a title and a sentence about the page.

        Raises:
            FakeFailure: it is this document's turn to fail.
            Unwanted: it generates, and nobody waits for the page any more.
        """
        config = self._config
        document, number = self._count(page)
        if 0 < config.crash_after_pages < number:
            os._exit(CRASH_EXIT_CODE)
        markdown, blocks = _sizes(page) if self._text is None else (self._text, ())
        tier = chosen(options.tier, options.at_most, Tier.HIGH)
        writing = self._writing(markdown, self._page_seconds(tier.tier), options, listener)
        self._leak(config.leak_bytes_per_page)
        if page.index == 0 and _is_due(document, config.fail_percent):
            raise FakeFailure(f"failPercent is {config.fail_percent}")
        return PageResult(
            writing.text,
            () if writing.is_cut else blocks,
            vision_tokens=VISION_TOKENS[tier.tier],
            truncated=writing.is_cut or _is_due(number, config.truncate_percent),
            repetition=_is_due(number, config.repeat_percent),
            tier=tier.tier,
            lowered=tier.lowered,
            generation=writing.generation,
        )

    def devices(self) -> Sequence[DeviceUse]:
        """Return nothing: it needs no device."""
        return ()

    def close(self) -> None:
        """Do nothing: what leaked stays."""

    def _writing(
        self, text: str, seconds: float, options: ParseOptions, listener: Listener
    ) -> Writing:
        """Spend the page's time, and return what came of the text."""
        if self.generates:
            return written(text, options.max_new_tokens, seconds, listener)
        time.sleep(seconds)
        return Writing(text)

    def _page_seconds(self, tier: Tier) -> float:
        config = self._config
        shares = {Tier.LOW: config.low_time_percent, Tier.MEDIUM: config.medium_time_percent}
        return config.page_milliseconds / 1000 * shares.get(tier, _PERCENT) / _PERCENT

    def _count(self, page: PageImage) -> tuple[int, int]:
        """Return how many documents and pages began up to now, this one included."""
        with self._lock:
            self._documents += page.index == 0
            self._pages += 1
            return self._documents, self._pages

    def _leak(self, size: int) -> None:
        if size:
            # Ones, not zeros: the system gives no memory for zeros that nobody wrote.
            self._leaked.append(b"\1" * size)


class FakeFailure(Exception):  # noqa: N818 (a failure on purpose)
    """The engine fails because it was told to."""


def _is_due(number: int, percent: int) -> bool:
    """Return whether the `number`th of a row, from 1, is one of the `percent` in a hundred."""
    return number * percent // _PERCENT > (number - 1) * percent // _PERCENT


def _text_of(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsInvalid(f"{file.name} of the weights cannot be read: {error}") from None


def _sizes(page: PageImage) -> tuple[str, tuple[Block, ...]]:
    title = f"Page {page.index + 1}"
    sentence = f"It measures {page.width} by {page.height} pixels."
    whole = Box(0, 0, page.width, page.height)
    blocks = (
        Block(BlockKind.TITLE, title, f"# {title}", whole, confidence=1.0, level=1),
        Block(BlockKind.PARAGRAPH, sentence, sentence, whole, confidence=1.0),
    )
    return "\n\n".join(block.markdown for block in blocks), blocks
