"""A set of samples to begin with."""

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

import pypdfium2  # type: ignore[import-untyped]
from PIL import Image

from docparser_runtime.golden.documents import EXPECTED
from docparser_runtime.kit.drawing import pdf_of
from docparser_runtime.kit.layouts import LAYOUTS, of_length, plain_text
from docparser_runtime.kit.prose import Prose

LENGTHS: Final = (1, 10, 50, 100, 200)
"""Pages of the documents that are made for their length."""
_TURNS_DEGREES: Final = {"left": 90.0, "skewed": 1.5}
_SCAN_SCALE: Final = 2
"""Pixels of a scan per point: 144 dpi."""


@dataclass(frozen=True)
class Made:
    """A document that was made, and what it says."""

    file_name: str
    content: bytes
    markdown: str

    @property
    def expected_name(self) -> str:
        """Name of the file with its text."""
        return Path(self.file_name).stem + EXPECTED


def sample_set(seed: int, most_pages: int) -> Iterator[Made]:
    """Yield a document of each layout, scans, and documents of each length up to `most_pages`.

    The same seed makes the same documents.
    """
    prose = Prose(seed)
    for name, layout in LAYOUTS.items():
        drawn = layout(prose)
        if len(drawn.pages) <= most_pages:
            yield Made(f"{name}__sample.pdf", pdf_of(drawn.pages), drawn.markdown)
    for name, degrees in _TURNS_DEGREES.items():
        drawn = plain_text(prose)
        scan = _scan(pdf_of(drawn.pages), degrees)
        yield Made(f"rotated_scan__{name}.png", scan, drawn.markdown)
    for pages in (length for length in LENGTHS if length <= most_pages):
        drawn = of_length(prose, pages)
        yield Made(f"length__{pages:03}_pages.pdf", pdf_of(drawn.pages), drawn.markdown)


def written(documents: Iterable[Made], directory: Path) -> int:
    """Write documents and texts into an empty or new directory; return how many documents.

    Raises:
        OSError: it is not empty, or cannot be written to.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))
    count = 0
    for document in documents:
        (directory / document.file_name).write_bytes(document.content)
        (directory / document.expected_name).write_text(document.markdown, encoding="utf-8")
        count += 1
    return count


def _scan(pdf: bytes, degrees: float) -> bytes:
    """Return the first page as a picture that is turned to the left."""
    with pypdfium2.PdfDocument(pdf) as document:
        page = document[0].render(scale=_SCAN_SCALE, grayscale=True).to_pil()
    turned = page.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    buffer = BytesIO()
    turned.save(buffer, "PNG")
    return buffer.getvalue()
