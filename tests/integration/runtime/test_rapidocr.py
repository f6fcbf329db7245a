"""The real engine on real pages: what it reads, in which order, and from which side."""

import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.engine.base import PageImage, PageResult, ParseOptions, WeightsInvalid
from docparser_runtime.engine.rapidocr import (
    DETECTION_WEIGHTS,
    RECOGNITION_WEIGHTS,
    RapidOcrEngine,
    packaged_weights,
)
from numpy.typing import NDArray
from PIL import Image
from support.sample_document import (
    HEADING_TABLE,
    SAMPLE_PAGES,
    TABLE_INTRODUCTION,
    TABLE_ROWS,
    THREE_COLUMN_PAGE,
    character_error_rate,
    plain_text,
)

Pixels = NDArray[np.uint8]

TEXTS = (*SAMPLE_PAGES, THREE_COLUMN_PAGE)
MOST_ERRORS = 0.01
ABOVE_AND_TABLE = slice(510)
OPTIONS = ParseOptions(max_new_tokens=1)


def read(engine: RapidOcrEngine, pixels: Pixels) -> PageResult:
    return engine.parse(PageImage(0, np.ascontiguousarray(pixels)), OPTIONS)


def load_and_warm_up(engine: RapidOcrEngine) -> None:
    engine.load()
    engine.warmup()


def skewed(pixels: Pixels, degrees: float) -> Pixels:
    height, width = pixels.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    return np.asarray(
        cv2.warpAffine(pixels, turn, (width, height), borderValue=(255, 255, 255)), np.uint8
    )


@pytest.mark.parametrize("index", range(4))
def test_pages_are_read_with_their_order(results: tuple[PageResult, ...], index: int) -> None:
    markdown = results[index].markdown
    assert character_error_rate(TEXTS[index], markdown) <= MOST_ERRORS
    # Every block of the page begins where it should, whatever a letter may be.
    text = plain_text(markdown)
    places = [text.find(plain_text(part)[:20]) for part in TEXTS[index].splitlines()]
    assert -1 not in places
    assert places == sorted(places)


def test_structure_of_a_page(results: tuple[PageResult, ...]) -> None:
    assert [(str(block.kind), block.level) for block in results[0].blocks] == [
        ("title", 1),
        ("paragraph", None),
        ("heading", 2),
        ("paragraph", None),
        ("paragraph", None),
        ("heading", 2),
        ("paragraph", None),
    ]


def test_the_table_is_a_table(results: tuple[PageResult, ...]) -> None:
    (table,) = [block for block in results[1].blocks if block.kind == "table"]
    assert table.text == "\n".join("\t".join(row) for row in TABLE_ROWS)
    assert (table.box.left, table.box.right) == pytest.approx((346, 844), abs=5)


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(np.rot90, id="on the left side"),
        pytest.param(lambda pixels: skewed(pixels, 2.5), id="skewed"),
        pytest.param(lambda pixels: 255 - pixels, id="white on black"),
    ],
)
def test_a_table_is_found_from_every_side(
    engine: RapidOcrEngine, page_pixels: tuple[Pixels, ...], turn: Callable[[Pixels], Pixels]
) -> None:
    result = read(engine, turn(page_pixels[1][ABOVE_AND_TABLE]))
    expected = "\n".join((HEADING_TABLE, TABLE_INTRODUCTION, *map(" ".join, TABLE_ROWS)))
    assert character_error_rate(expected, result.markdown) <= MOST_ERRORS
    assert [str(block.kind) for block in result.blocks] == ["heading", "paragraph", "table"]


def test_a_page_is_read_upside_down(
    engine: RapidOcrEngine, page_pixels: tuple[Pixels, ...], results: tuple[PageResult, ...]
) -> None:
    (block,) = read(engine, page_pixels[3][230::-1, ::-1]).blocks
    assert block.text == results[3].blocks[0].text


def test_boxes_are_those_of_the_page_as_it_came(
    engine: RapidOcrEngine, page_pixels: tuple[Pixels, ...], results: tuple[PageResult, ...]
) -> None:
    turned = read(engine, np.rot90(page_pixels[3][:480], 3)).blocks
    for block, other in zip(results[3].blocks, turned, strict=True):
        # Turned clockwise, what was the top is at the right.
        assert other.box.top == pytest.approx(block.box.left, abs=4)
        assert other.box.right == pytest.approx(480 - block.box.top, abs=4)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF"])
async def test_the_same_page_as_an_image(
    engine: RapidOcrEngine, page_pixels: tuple[Pixels, ...], name: str
) -> None:
    buffer = io.BytesIO()
    Image.fromarray(page_pixels[3][:480]).save(buffer, name)
    reader = SubprocessReader(RuntimeConfig())
    async with reader.open(buffer.getvalue()) as document:
        page = await document.page(0)
    await reader.close()
    result = engine.parse(page, OPTIONS)
    assert character_error_rate(THREE_COLUMN_PAGE, result.markdown) <= MOST_ERRORS


def test_threads_share_the_engine(engine: RapidOcrEngine, page_pixels: tuple[Pixels, ...]) -> None:
    pages = [page[:240] for page in page_pixels]
    alone = [read(engine, page) for page in pages]
    with ThreadPoolExecutor(4) as threads:
        together = [*threads.map(lambda page: read(engine, page), pages)]
    assert together == alone


@pytest.mark.parametrize(
    "shape", [(1, 1, 3), (7, 3000, 3), (3000, 7, 3), (40, 20_000, 3), (300, 300, 3)]
)
@pytest.mark.parametrize("grey", [0, 255])
def test_pages_without_text_are_empty(
    engine: RapidOcrEngine, shape: tuple[int, int, int], grey: int
) -> None:
    assert read(engine, np.full(shape, grey, np.uint8)) == PageResult("", ())


def test_a_page_of_noise_is_no_failure(engine: RapidOcrEngine) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (500, 500, 3), np.uint8)
    assert len(read(engine, noise).markdown) < 50


def test_warmup_accepts_the_right_weights(engine: RapidOcrEngine) -> None:
    engine.warmup()


def test_warmup_refuses_an_engine_that_reads_nonsense(tmp_path: Path) -> None:
    # A detector in the recogniser's place cannot even be loaded; a blind one can.
    shutil.copy(packaged_weights() / DETECTION_WEIGHTS, tmp_path)
    content = bytearray((packaged_weights() / RECOGNITION_WEIGHTS).read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4_000_000] = bytes(4_000_000)
    (tmp_path / RECOGNITION_WEIGHTS).write_bytes(content)
    engine = RapidOcrEngine(threads=1, weights=tmp_path)
    with pytest.raises(WeightsInvalid):
        load_and_warm_up(engine)


@pytest.mark.parametrize("damage", ["missing", "cut", "swapped"])
def test_bad_weights_do_not_load(tmp_path: Path, damage: str) -> None:
    for name in (DETECTION_WEIGHTS, RECOGNITION_WEIGHTS):
        shutil.copy(packaged_weights() / name, tmp_path)
    victim = tmp_path / RECOGNITION_WEIGHTS
    if damage == "missing":
        victim.unlink()
    elif damage == "cut":
        victim.write_bytes(victim.read_bytes()[:10_000_000])
    else:
        shutil.copy(tmp_path / DETECTION_WEIGHTS, victim)
    with pytest.raises(WeightsInvalid, match=str(tmp_path)):
        RapidOcrEngine(threads=1, weights=tmp_path).load()


def test_no_reading_before_loading() -> None:
    with pytest.raises(RuntimeError):
        read(RapidOcrEngine(threads=1), np.zeros((10, 10, 3), np.uint8))


def test_no_module_that_could_download_is_imported() -> None:
    program = (
        "import sys; from docparser_runtime.engine.rapidocr import RapidOcrEngine as E;"
        "e = E(1); e.load(); e.warmup();"
        "print([m for m in ('rapidocr', 'requests', 'urllib3', 'http.client') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_the_index_of_the_page_does_not_matter(
    engine: RapidOcrEngine, page_pixels: tuple[Pixels, ...]
) -> None:
    page = PageImage(0, page_pixels[3][:240])
    other = replace(page, index=7, dpi=144)
    assert engine.parse(page, OPTIONS) == engine.parse(other, OPTIONS)
