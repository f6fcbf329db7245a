"""Images of every mode and flaw, opened as the service opens them."""

import io
import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from docparser_runtime import errors
from docparser_runtime.engine.base import PageImage
from PIL import Image
from unit.runtime.documents.opener import Opener


def encoded(image: Image.Image, name: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


def half_black(mode: str = "L") -> Image.Image:
    """Return an image whose upper half is black, 40 wide and 20 high."""
    image = Image.new("L", (40, 20), 255)
    image.paste(0, (0, 0, 40, 10))
    return image.convert(mode)


def frames(count: int, size: tuple[int, int] = (8, 8)) -> bytes:
    images = [Image.new("L", size, index) for index in range(count)]
    return encoded(images[0], "TIFF", save_all=True, append_images=images[1:])


def png_of_size(width: int, height: int) -> bytes:
    """Return the beginning of an image that claims to have this size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", bytes(100))


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a piece of a PNG file."""
    check = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + check


def levels(page: PageImage) -> tuple[Sequence[int], Sequence[int]]:
    """Return the colours at the top and at the bottom."""
    return page.pixels[3, 20].tolist(), page.pixels[-4, 20].tolist()


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
        pytest.param(encoded(half_black("RGB"), "MPO", save_all=True), id="MPO, a kind of JPEG"),
    ],
)
def test_every_mode_becomes_black_on_white(opener: Opener, content: bytes) -> None:
    _, (page,) = opener.read(content)
    top, bottom = levels(page)
    assert (page.width, page.height, page.dpi) == (40, 20, None)
    assert max(top) <= 40
    assert min(bottom) >= 235


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_orientation_is_applied(opener: Opener, name: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # what was the top stands at the right
    _, (page,) = opener.read(encoded(half_black("RGB"), name, exif=exif))
    assert (page.width, page.height) == (20, 40)
    assert page.pixels[20, 16].mean() < 40
    assert page.pixels[20, 3].mean() > 215


def test_frames_of_a_tiff_file_are_pages_in_order(opener: Opener) -> None:
    _, read = opener.read(frames(12))
    assert [page.pixels[0, 0, 0] for page in read] == [*range(12)]


def test_frames_can_be_read_in_any_order(opener: Opener) -> None:
    order = (3, 0, 2, 2, 1)
    _, read = opener.read(frames(4), order=order)
    assert tuple(page.pixels[0, 0, 0] for page in read) == order


def test_of_an_animation_the_first_frame_is_the_page(opener: Opener) -> None:
    other = Image.new("RGB", (40, 20), "red")
    content = encoded(
        half_black("RGB"), "WEBP", lossless=True, save_all=True, append_images=[other]
    )
    _, (page,) = opener.read(content)
    assert levels(page) == ([0, 0, 0], [255, 255, 255])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(png_of_size(2**31 - 1, 2**31 - 1), errors.ImageTooLarge, id="bomb header"),
        pytest.param(png_of_size(2001, 2000), errors.ImageTooLarge, id="one column too many"),
        pytest.param(png_of_size(2000, 2000), errors.DocumentCorrupt, id="just fits, no pixels"),
        pytest.param(png_of_size(0, 10), errors.DocumentCorrupt, id="no width"),
        pytest.param(frames(13), errors.TooManyPages, id="one frame too many"),
        pytest.param(frames(2, (2001, 2000)), errors.ImageTooLarge, id="frames too large"),
        pytest.param(b"II*\0\x08\0\0\0" + bytes(50), errors.DocumentCorrupt, id="no frame"),
        pytest.param(b"\xff\xd8\xff\xe0 no image", errors.DocumentCorrupt, id="JPEG of a head"),
        pytest.param(b"RIFF\x10\0\0\0WEBPVP8 ", errors.DocumentCorrupt, id="WebP of a head"),
    ],
)
def test_fault_and_error(
    opener: Opener, content: bytes, error: type[errors.DocParserError]
) -> None:
    with pytest.raises(error):
        opener.read(content)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "WEBP", "BMP"])
def test_a_cut_image_is_corrupt(opener: Opener, name: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    content = encoded(Image.fromarray(noise), name)
    with pytest.raises(errors.DocumentCorrupt):
        opener.read(content[: len(content) * 2 // 3])


def test_a_bomb_of_text_in_an_image_is_corrupt(opener: Opener) -> None:
    content = encoded(half_black("RGB"), "PNG")
    bomb = chunk(b"zTXt", b"bomb\0\0" + zlib.compress(bytes(50_000_000), 9))
    with pytest.raises(errors.DocumentCorrupt):
        opener.read(content[:33] + bomb + content[33:])
