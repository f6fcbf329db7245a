"""Images of every mode, decoded in a process that is confined as in the service."""

import numpy as np
import pytest
from docparser_runtime.documents.base import DocumentInfo
from docparser_runtime.parser_child.images import FORMATS
from PIL import Image
from support.images import encoded, frames, half_black
from unit.runtime.documents.many_documents import ManyDocuments
from unit.runtime.documents.opener import Opener


def sixteen_bits() -> Image.Image:
    values = np.full((20, 40), 65535, np.uint16)
    values[:10] = 0
    return Image.fromarray(values)


def real_numbers() -> Image.Image:
    values = np.full((20, 40), 1.0, np.float32)
    values[:10] = 0
    return Image.fromarray(values)


def transparent() -> Image.Image:
    """Return black above, and below black that cannot be seen."""
    image = Image.new("RGBA", (40, 20), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, 40, 10))
    return image


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(encoded(half_black("RGB"), "PNG"), id="PNG RGB"),
        pytest.param(encoded(half_black("1"), "PNG"), id="PNG 1 bit"),
        pytest.param(encoded(half_black("P"), "PNG"), id="PNG palette"),
        pytest.param(encoded(sixteen_bits(), "PNG"), id="PNG 16 bits"),
        pytest.param(encoded(transparent(), "PNG"), id="PNG alpha"),
        pytest.param(encoded(transparent().quantize(), "PNG"), id="PNG palette with alpha"),
        pytest.param(encoded(transparent().convert("LA"), "PNG"), id="PNG grey with alpha"),
        pytest.param(encoded(half_black("L"), "PNG", transparency=255), id="PNG transparent white"),
        pytest.param(encoded(half_black("L"), "JPEG", quality=95), id="JPEG grey"),
        pytest.param(encoded(half_black("CMYK"), "JPEG", quality=95), id="JPEG CMYK"),
        pytest.param(encoded(half_black("CMYK"), "TIFF"), id="TIFF CMYK"),
        pytest.param(encoded(half_black("1"), "TIFF", compression="group4"), id="TIFF fax"),
        pytest.param(encoded(half_black("RGB"), "TIFF", compression="tiff_lzw"), id="TIFF LZW"),
        pytest.param(encoded(half_black("RGB"), "TIFF", compression="jpeg"), id="TIFF JPEG"),
        pytest.param(encoded(sixteen_bits(), "TIFF"), id="TIFF 16 bits"),
        pytest.param(encoded(real_numbers(), "TIFF"), id="TIFF real numbers"),
        pytest.param(encoded(half_black("LAB"), "TIFF"), id="TIFF LAB"),
        pytest.param(encoded(half_black("RGB"), "WEBP", lossless=True), id="WebP"),
        pytest.param(encoded(transparent(), "WEBP", lossless=True), id="WebP alpha"),
        pytest.param(encoded(half_black("P"), "BMP"), id="BMP palette"),
        pytest.param(encoded(half_black("P"), "GIF"), id="GIF"),
        pytest.param(encoded(transparent(), "GIF"), id="GIF with transparent black"),
        pytest.param(encoded(half_black("RGB"), "JPEG2000"), id="JPEG 2000"),
        pytest.param(encoded(transparent(), "JPEG2000"), id="JPEG 2000 alpha"),
        pytest.param(encoded(half_black("RGB"), "AVIF"), id="AVIF"),
        pytest.param(encoded(transparent(), "AVIF"), id="AVIF alpha"),
        pytest.param(encoded(half_black("RGB"), "MPO", save_all=True), id="MPO, a kind of JPEG"),
    ],
)
def test_every_mode_becomes_black_on_white(confined: ManyDocuments, content: bytes) -> None:
    (page,) = confined.open(content).pages
    assert page.shape == (20, 40, 3)
    top, bottom = page[3, 20], page[-4, 20]
    assert max(top) <= 40
    assert min(bottom) >= 235


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
def test_orientation_is_applied(confined: ManyDocuments, name: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # what was the top stands at the right
    (page,) = confined.open(encoded(half_black("RGB"), name, exif=exif)).pages
    assert page.shape == (40, 20, 3)
    assert page[20, 16].mean() < 40
    assert page[20, 3].mean() > 215


def test_frames_of_a_tiff_file_are_pages_in_order(confined: ManyDocuments) -> None:
    pages = confined.open(frames(12)).pages
    assert [page[0, 0, 0] for page in pages] == [*range(12)]


def test_frames_can_be_read_in_any_order(opener: Opener) -> None:
    order = (3, 0, 2, 2, 1)
    _, pages = opener.read(frames(4), order=order)
    assert tuple(page.pixels[0, 0, 0] for page in pages) == order


@pytest.mark.parametrize("name", ["WEBP", "GIF", "PNG", "AVIF"])
def test_of_an_animation_the_first_frame_is_the_page(confined: ManyDocuments, name: str) -> None:
    other = Image.new("RGB", (40, 20), "red")
    options = {"lossless": True} if name == "WEBP" else {}
    content = encoded(
        half_black("RGB"), name, save_all=True, append_images=[other], duration=100, **options
    )
    (page,) = confined.open(content).pages
    assert page[3, 20].max() <= 10
    assert page[-4, 20].min() >= 245


@pytest.mark.parametrize("media_type", sorted(FORMATS))
def test_the_reader_opens_every_kind(opener: Opener, media_type: str) -> None:
    info, (page,) = opener.read(encoded(half_black("RGB"), FORMATS[media_type]))
    assert info == DocumentInfo(media_type, page_count=1)
    assert (page.width, page.height, page.dpi) == (40, 20, None)
