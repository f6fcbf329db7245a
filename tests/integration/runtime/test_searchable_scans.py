"""Scans that the real engine reads, made searchable: what is found, and where."""

import io
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions
from docparser_runtime.engine.rapidocr import RapidOcrEngine
from docparser_runtime.outputs.page_text import PageText
from docparser_runtime.outputs.pages import page_of_result
from docparser_runtime.outputs.passages import page_text
from docparser_runtime.outputs.searchable_pdf import searchable_pdf
from docparser_runtime.parser_child import frames
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pdf import PdfPages
from numpy.typing import NDArray
from PIL import Image
from support.sample_document import SAMPLE_PAGES, character_error_rate, sample_pdf
from support.searchable import PDF, Reader, distance

DPI = 144
LIMITS = Limits(
    memory_bytes=1 << 30, page_cpu_seconds=60, pages=20, page_pixels=20_000_000, dpi=DPI
)
SAMPLE = slice(3)
WORD = re.compile(r"[A-Za-z]{6,}")
MOST_ERRORS = 0.02
USUAL_POINTS, MOST_POINTS = 3.0, 8.0
"""Distance of the sides of a word's box from where the word really is, for half and for nearly all
words."""
NEARLY_ALL = 0.95
PROGRAM = Path(__file__).parent / "confined_searchable.py"


def scan_of(pages: Sequence[NDArray[np.uint8]], turn: int = 0) -> bytes:
    """Return a PDF of nothing but pictures, each turned counterclockwise."""
    pictures = [Image.fromarray(page).convert("L").rotate(turn, expand=True) for page in pages]
    output = io.BytesIO()
    pictures[0].save(
        output, "PDF", save_all=True, append_images=pictures[1:], resolution=DPI, quality=95
    )
    return output.getvalue()


def read(engine: RapidOcrEngine, content: bytes) -> list[PageText]:
    pages = PdfPages(content, None, LIMITS)
    texts = []
    for index in range(pages.count):
        picture = pages.picture(index)
        pixels = np.frombuffer(picture.rgb, np.uint8).reshape(picture.height, picture.width, 3)
        result = engine.parse(PageImage(index, pixels, DPI), ParseOptions(1))
        texts.append(page_text(page_of_result(index, picture.width, picture.height, result)))
    return texts


@pytest.fixture(scope="module")
def texts(
    results: tuple[PageResult, ...], page_pixels: tuple[NDArray[np.uint8], ...]
) -> list[PageText]:
    return [
        page_text(page_of_result(index, pixels.shape[1], pixels.shape[0], result))
        for index, (result, pixels) in enumerate(
            zip(results[SAMPLE], page_pixels[SAMPLE], strict=True)
        )
    ]


@pytest.fixture(scope="module")
def scan(page_pixels: tuple[NDArray[np.uint8], ...]) -> bytes:
    return scan_of(page_pixels[SAMPLE])


def test_a_scan_says_what_stands_on_it(scan: bytes, texts: list[PageText]) -> None:
    after = Reader(searchable_pdf(scan, PDF, None, PdfPages(scan, None, LIMITS), texts))
    for index, expected in enumerate(SAMPLE_PAGES):
        assert character_error_rate(expected, after.text(index)) <= MOST_ERRORS


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_words_are_found_where_they_are_seen(
    engine: RapidOcrEngine, page_pixels: tuple[NDArray[np.uint8], ...], turn: int
) -> None:
    scan = scan_of(page_pixels[:1], turn)
    texts = read(engine, scan)
    after = Reader(searchable_pdf(scan, PDF, None, PdfPages(scan, None, LIMITS), texts))
    size = texts[0].width, texts[0].height
    original = Reader(sample_pdf())
    upright = size if turn % 180 == 0 else size[::-1]
    off = []
    for word in sorted(set(WORD.findall(original.text(0)))):
        there, here = original.found(word, upright, 0), after.found(word, size, 0)
        if len(there) == len(here) == 1:
            off.append(distance(turned(there[0], turn, upright), here[0]) * 72 / DPI)
    off.sort()
    print(f"{len(off)} words, turned {turn}: half within {off[len(off) // 2]:.1f} points,")
    print(f"95 % within {off[int(len(off) * NEARLY_ALL)]:.1f}, all within {off[-1]:.1f}")
    assert len(off) > 30
    assert off[len(off) // 2] <= USUAL_POINTS
    assert off[int(len(off) * NEARLY_ALL)] <= MOST_POINTS


def turned(
    box: tuple[float, ...], turn: int, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    width, height = size
    for _ in range(turn // 90):
        left, top, right, bottom = top, width - right, bottom, width - left
        width, height = height, width
    return left, top, right, bottom


def test_a_confined_process_can_make_it(scan: bytes, texts: list[PageText]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, str(PROGRAM), LIMITS.dumps()]
        process = subprocess.Popen(command, stdin=theirs.fileno())
        theirs.close()
        try:
            frames.send(ours, {"kind": "open", "media_type": PDF}, memoryview(scan))
            for index, text in enumerate(texts):
                frames.send(ours, {"kind": "add", "index": index}, memoryview(text.dumps()))
            frames.send(ours, {"kind": "finish"}, None)
            ours.settimeout(60)
            reply = frames.receive(ours.makefile("rb"))
        finally:
            ours.close()
            process.kill()
            process.wait()
    assert reply is not None
    assert reply[0] == {"name": "made"}
    expected = searchable_pdf(scan, PDF, None, PdfPages(scan, None, LIMITS), texts)
    assert reply[1] == expected
