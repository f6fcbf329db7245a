"""An engine without a model: for load tests, demonstrations and tests of everything around it."""

import time

from docparser_api.runtime import FakeConfig

from docparser_runtime.engine.base import (
    Block,
    BlockKind,
    Box,
    PageImage,
    PageResult,
    ParseOptions,
)


class FakeEngine:
    """Answers with a text that depends only on the page's position and size.

    Loading and reading take the time that the configuration says.
    """

    name = "fake"
    generates = False

    def __init__(self, config: FakeConfig) -> None:
        self._config = config

    def load(self) -> None:
        """Wait `loadMilliseconds`."""
        time.sleep(self._config.load_milliseconds / 1000)

    def warmup(self) -> None:
        """Succeed: there is nothing that could be wrong."""

    def parse(self, page: PageImage, options: ParseOptions) -> PageResult:  # noqa: ARG002
        """Wait `pageMilliseconds` and return a title and a sentence about the page."""
        time.sleep(self._config.page_milliseconds / 1000)
        title = f"Page {page.index + 1}"
        sentence = f"It measures {page.width} by {page.height} pixels."
        whole = Box(0, 0, page.width, page.height)
        blocks = (
            Block(BlockKind.TITLE, title, f"# {title}", whole, confidence=1.0, level=1),
            Block(BlockKind.PARAGRAPH, sentence, sentence, whole, confidence=1.0),
        )
        return PageResult("\n\n".join(block.markdown for block in blocks), blocks)

    def close(self) -> None:
        """Do nothing: nothing was taken."""
