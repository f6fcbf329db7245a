"""One loaded engine for all tests that read for real."""

from collections.abc import Iterator

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
import pytest
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from numpy.typing import NDArray
from support.sample_document import sample_pdf, three_column_pdf


@pytest.fixture(scope="session")
def engine() -> Iterator[RapidOcrEngine]:
    engine = RapidOcrEngine(threads=2)
    engine.load()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def results(
    engine: RapidOcrEngine, page_pixels: tuple[NDArray[np.uint8], ...]
) -> tuple[PageResult, ...]:
    """Return what the engine reads on `page_pixels`."""
    options = ParseOptions(max_new_tokens=1)
    return tuple(
        engine.parse(PageImage(index, page, 144), options) for index, page in enumerate(page_pixels)
    )


@pytest.fixture(scope="session")
def page_pixels() -> tuple[NDArray[np.uint8], ...]:
    """Return the three pages of the sample and the one of three columns, at 144 dpi."""
    documents = [pypdfium2.PdfDocument(content) for content in (sample_pdf(), three_column_pdf())]
    return tuple(
        page.render(scale=2, rev_byteorder=True).to_numpy().copy()
        for document in documents
        for page in document
    )
