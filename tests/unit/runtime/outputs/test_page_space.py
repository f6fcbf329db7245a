from ctypes import c_double

import pypdfium2  # type: ignore[import-untyped]
import pytest
from docparser_runtime.outputs.page_space import LETTER, page_space
from docparser_runtime.outputs.visual_order import visual_order
from hypothesis import given
from hypothesis import strategies as st
from pypdfium2 import raw
from support.raw_pdf import pdf_of_page

STEPS = 1000
BOXES = [None, (0, 0, 612, 792), (-50, 30, 500.5, 800), (400, 700, 100, 20), (0, 0, 0, 9)]


def written(box: tuple[float, ...] | None) -> bytes:
    return b"null" if box is None else b"[%s]" % " ".join(map(str, box)).encode()


PAGES = [
    *((BOXES[1], BOXES[3], rotation) for rotation in (0, 90, 180, 270, -90, 450)),
    *((media, crop, 90) for media in BOXES for crop in BOXES[:3]),
    (BOXES[2], BOXES[4], 270),
]


@pytest.mark.parametrize(("media", "crop", "rotation"), PAGES)
def test_pages_lie_as_they_are_drawn(
    media: tuple[float, ...] | None, crop: tuple[float, ...] | None, rotation: int
) -> None:
    entries = b"/Rotate %d/CropBox %s" % (rotation, written(crop))
    content = pdf_of_page(media_box=written(media), entries=entries)
    page = pypdfium2.PdfDocument(content)[0]
    space = page_space(media, crop, rotation)
    width, height = space.size
    assert (width, height) == pytest.approx(page.get_size(), abs=0.01)
    for column, row in ((0, 0), (STEPS, 0), (250, 600)):
        x, y = c_double(), c_double()
        raw.FPDF_DeviceToPage(page, 0, 0, STEPS, STEPS, 0, column, row, x, y)
        shown = (column / STEPS * width, height - row / STEPS * height)
        assert space.on_page((*shown, *shown))[:2] == pytest.approx((x.value, y.value), abs=0.01)


@pytest.mark.parametrize("value", ["no box", [1, 2, 3], [1, 2, 3, "x"], [5, 5, 5, 5], 7])
def test_what_is_no_box_counts_as_absent(value: object) -> None:
    assert page_space(value, value, value).bounds == LETTER


@pytest.mark.parametrize(
    ("logical", "visual"),
    [
        ("abc 12", "abc 12"),
        ("אבג", "גבא"),
        ("אב 12 גד", "דג 12 בא"),
        ("ab אב גד cd", "ab דג בא cd"),
        ("אב ab", "ab בא"),
        ("(אב)", "(בא)"),
        ("א 1.5", "1.5 א"),
        ("בּ א", "א בּ"),
    ],
)
def test_letters_stand_from_left_to_right(logical: str, visual: str) -> None:
    assert visual_order(logical) == visual


@given(st.text("ab אב12.,()\u05bc", max_size=20))
def test_no_letter_is_lost(text: str) -> None:
    mirrored = str.maketrans(")", "(")
    assert sorted(visual_order(text).translate(mirrored)) == sorted(text.translate(mirrored))
