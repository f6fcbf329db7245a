import io
from collections.abc import Iterator
from contextlib import contextmanager

import pikepdf
import pytest
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.outputs.searchable_pdf import SearchablePdf, searchable_pdf
from docparser_runtime.parser_child.images import ImagePages
from PIL import Image
from support.searchable import LIMITS, Reader, distance, pages_of

SIZE = (300, 200)
BOX = (30.0, 40.0, 200.0, 60.0)


def a_picture(mode: str = "RGB") -> Image.Image:
    picture = Image.effect_noise(SIZE, 90)
    return (
        Image.merge("RGB", (picture, picture.rotate(180), picture))
        if mode == "RGB"
        else (picture.convert(mode))
    )


def a_file(picture: Image.Image, kind: str, **options: object) -> bytes:
    output = io.BytesIO()
    picture.save(output, kind, **options)
    return output.getvalue()


def made(content: bytes, media_type: str, size: tuple[int, int] = SIZE) -> bytes:
    pages = ImagePages(content, media_type, LIMITS)
    texts = [PageText(*size, (Passage(f"Hello {at}", BOX),)) for at in range(pages.count)]
    return searchable_pdf(content, media_type, None, pages, texts)


@contextmanager
def image_of(content: bytes) -> Iterator[pikepdf.PdfImage]:
    with pikepdf.open(io.BytesIO(content)) as pdf:
        picture = pdf.pages[0].Resources.XObject.Picture
        assert isinstance(picture, pikepdf.Stream)
        yield pikepdf.PdfImage(picture)


@pytest.mark.parametrize("mode", ["RGB", "L", "1"])
@pytest.mark.parametrize(("kind", "media_type"), [("PNG", "image/png"), ("TIFF", "image/tiff")])
def test_no_pixel_is_changed(mode: str, kind: str, media_type: str) -> None:
    picture = a_picture(mode)
    after = made(a_file(picture, kind), media_type)
    with image_of(after) as image:
        shown = image.as_pil_image()
        assert shown.convert("RGB").tobytes() == picture.convert("RGB").tobytes()
        assert image.bits_per_component == (1 if mode == "1" else 8)
    assert Reader(after).text() == "Hello 0"
    assert distance(Reader(after).found("Hello 0", SIZE)[0], BOX) <= 2


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_jpeg_file_is_shown_as_it_came(mode: str) -> None:
    content = a_file(a_picture(mode), "JPEG")
    with image_of(made(content, "image/jpeg")) as image:
        assert image.obj.read_raw_bytes() == content


def test_a_turned_photograph_is_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    content = a_file(Image.new("RGB", SIZE, "white"), "JPEG", exif=exif)
    after = made(content, "image/jpeg", (200, 300))
    with image_of(after) as image:
        assert (image.width, image.height) == (200, 300)
    assert distance(Reader(after).found("Hello 0", (200, 300))[0], BOX) <= 2


@pytest.mark.parametrize("mode", ["CMYK", "L"])
def test_other_pictures_are_drawn_in_colours_that_readers_know(mode: str) -> None:
    after = made(a_file(Image.new(mode, SIZE), "JPEG"), "image/jpeg")
    assert bytes(pages_of(after).picture(0).rgb[:3]) in (b"\0\0\0", b"\xff\xff\xff")


def test_pictures_that_lost_something_before_are_kept_small() -> None:
    with image_of(made(a_file(a_picture(), "WEBP"), "image/webp")) as image:
        assert image.filters == ["/DCTDecode"]


@pytest.mark.parametrize(
    ("dpi", "width"), [((300, 300), 72), (None, 144), ((1, 1), 144), ((10**6, 10**6), 144)]
)
def test_a_page_is_as_large_as_the_file_says(dpi: tuple[int, int] | None, width: float) -> None:
    options = {} if dpi is None else {"dpi": dpi}
    after = made(a_file(Image.new("L", SIZE), "PNG", **options), "image/png")
    with pikepdf.open(io.BytesIO(after)) as pdf:
        assert float(pdf.pages[0].mediabox[2]) == pytest.approx(width, rel=0.01)


def test_frames_are_pages() -> None:
    frames = [Image.new("1", SIZE, 1), a_picture("L"), Image.new("RGB", SIZE, "red")]
    content = a_file(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    after = made(content, "image/tiff")
    assert [Reader(after).text(at) for at in range(3)] == ["Hello 0", "Hello 1", "Hello 2"]
    assert bytes(pages_of(after).picture(2).rgb[:3]) == b"\xff\0\0"


def test_a_page_without_text_is_a_picture() -> None:
    content = a_file(Image.new("L", SIZE), "PNG")
    searchable = SearchablePdf(content, "image/png", None, ImagePages(content, "image/png", LIMITS))
    searchable.add(0, PageText(*SIZE, ()))
    assert Reader(searchable.content()).text() == ""
