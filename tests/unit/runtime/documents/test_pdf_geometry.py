"""Which part of a PDF page is drawn, how large, and which way up."""

import io
from typing import Literal

import numpy as np
import pikepdf
import pytest
from support.raw_pdf import LETTER, pdf_of_page
from support.sample_document import canvas_pdf
from unit.runtime.documents.many_documents import ManyDocuments
from unit.runtime.documents.opener import Opener


def drawn(opener: Opener, entries: bytes, media_box: bytes = LETTER) -> tuple[int, int]:
    _, (page,) = opener.read(pdf_of_page(entries=entries, media_box=media_box))
    return page.width, page.height


@pytest.mark.parametrize(
    ("entries", "size"),
    [
        pytest.param(b"/CropBox[100 100 300 200]", (200, 100), id="crop"),
        pytest.param(b"/CropBox[300 200 100 100]", (200, 100), id="corners swapped"),
        pytest.param(b"/CropBox[-50 -50 300 200]", (300, 200), id="more than there is"),
        pytest.param(b"/CropBox[700 800 900 900]", (612, 792), id="outside"),
        pytest.param(b"/CropBox[100 100 300 200]/Rotate 270", (100, 200), id="crop and turn"),
        pytest.param(b"/Rotate -90", (792, 612), id="turned back"),
        pytest.param(b"/Rotate 450", (792, 612), id="turned further"),
        pytest.param(b"/UserUnit 2", (1224, 1584), id="large units"),
        pytest.param(b"/UserUnit 0.5/Rotate 90", (396, 306), id="small units and turn"),
        pytest.param(b"/UserUnit 0", (612, 792), id="no unit"),
        pytest.param(b"/UserUnit -2", (612, 792), id="negative unit"),
        pytest.param(b"/UserUnit/Large", (612, 792), id="unit that is no number"),
    ],
)
def test_entry_and_size(opener: Opener, entries: bytes, size: tuple[int, int]) -> None:
    assert drawn(opener, entries) == size


@pytest.mark.parametrize(
    ("box", "size"),
    [
        (b"[0 0 10 14400]", (10, 14400)),
        (b"[0 0 14400 1]", (14400, 1)),
        (b"[0 0 10 30000]", (7, 20000)),
        (b"[0 0 2 2]", (2, 2)),
    ],
)
def test_strips_and_specks_are_drawn(opener: Opener, box: bytes, size: tuple[int, int]) -> None:
    assert drawn(opener, b"", box) == size


def test_huge_units_are_no_huge_page(opener: Opener) -> None:
    _, (page,) = opener.read(pdf_of_page(entries=b"/UserUnit 1000000"))
    assert 3_900_000 < page.width * page.height <= 4_000_000
    assert page.dpi == pytest.approx(72 * page.width / 612_000_000, rel=0.01)


def test_the_resolution_is_that_of_the_sheet(opener: Opener) -> None:
    _, (page,) = opener.read(pdf_of_page(entries=b"/UserUnit 2"))
    assert page.dpi == 72


def with_compressed_pages(encryption: pikepdf.Encryption | Literal[False]) -> bytes:
    """Return three pages of which the second has larger units."""
    blank = canvas_pdf(lambda _canvas, _index: None, page_count=3)
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(blank)) as pdf:
        pdf.pages[1].obj["/UserUnit"] = 2
        mode = pikepdf.ObjectStreamMode.generate
        pdf.save(buffer, object_stream_mode=mode, encryption=encryption)
    assert b"/UserUnit" not in buffer.getvalue()
    return buffer.getvalue()


def test_units_are_found_where_pages_are_compressed(confined: ManyDocuments) -> None:
    pages = confined.open(with_compressed_pages(encryption=False)).pages
    assert [page.shape[1] for page in pages] == [596, 1191, 596]


@pytest.mark.filterwarnings("ignore:Encryption R=5:UserWarning")
@pytest.mark.parametrize("revision", [2, 3, 4, 5, 6])
def test_units_are_found_in_encrypted_files(
    confined: ManyDocuments, revision: Literal[2, 3, 4, 5, 6]
) -> None:
    new = revision >= 4
    lock = pikepdf.Encryption(owner="o", user="open", R=revision, aes=new, metadata=new)
    pages = confined.open(with_compressed_pages(lock), "open").pages
    assert [page.shape[1] for page in pages] == [596, 1191, 596]


def test_what_the_crop_box_shows_is_what_is_drawn(opener: Opener) -> None:
    black = b"100 100 50 50 re f"
    _, (page,) = opener.read(pdf_of_page(black, entries=b"/CropBox[100 100 200 200]"))
    expected = np.full((100, 100, 3), 255, np.uint8)
    expected[50:, :50] = 0
    assert np.array_equal(page.pixels, expected)
