"""Images of every mode and flaw, decoded in a process that is confined as in the service."""

import io
import struct
import zlib

import numpy as np
import pytest
from docparser_runtime.documents.base import DocumentInfo
from docparser_runtime.errors import ImageTooLarge
from docparser_runtime.parser_child.limits import LONGEST_SIDE
from PIL import Image
from unit.runtime.documents.many_documents import ManyDocuments
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


def text_bomb() -> bytes:
    """Return an image with a comment that unpacks to 50 million letters."""
    content = encoded(half_black("RGB"), "PNG")
    bomb = chunk(b"zTXt", b"bomb\0\0" + zlib.compress(bytes(50_000_000), 9))
    return content[:33] + bomb + content[33:]


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
def test_every_mode_becomes_black_on_white(confined: ManyDocuments, content: bytes) -> None:
    (page,) = confined.open(content).pages
    assert page.shape == (20, 40, 3)
    top, bottom = page[3, 20], page[-4, 20]
    assert max(top) <= 40
    assert min(bottom) >= 235


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
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


def test_of_an_animation_the_first_frame_is_the_page(confined: ManyDocuments) -> None:
    other = Image.new("RGB", (40, 20), "red")
    content = encoded(
        half_black("RGB"), "WEBP", lossless=True, save_all=True, append_images=[other]
    )
    (page,) = confined.open(content).pages
    assert (page[3, 20].tolist(), page[-4, 20].tolist()) == ([0, 0, 0], [255, 255, 255])


@pytest.mark.parametrize("name", ["PNG", "JPEG", "WEBP", "BMP", "TIFF"])
def test_the_reader_opens_every_kind(opener: Opener, name: str) -> None:
    info, (page,) = opener.read(encoded(half_black("RGB"), name))
    assert info == DocumentInfo(f"image/{name.lower()}", page_count=1)
    assert (page.width, page.height, page.dpi) == (40, 20, None)


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        pytest.param(png_of_size(2**31 - 1, 2**31 - 1), "image_too_large", id="bomb header"),
        pytest.param(png_of_size(2001, 2000), "image_too_large", id="one column too many"),
        pytest.param(png_of_size(2000, 2000), "corrupt", id="just fits, no pixels"),
        pytest.param(png_of_size(0, 10), "corrupt", id="no width"),
        pytest.param(frames(13), "too_many_pages", id="one frame too many"),
        pytest.param(frames(2, (2001, 2000)), "image_too_large", id="frames too large"),
        pytest.param(b"II*\0\x08\0\0\0" + bytes(50), "corrupt", id="no frame"),
        pytest.param(b"\xff\xd8\xff\xe0 no image", "corrupt", id="JPEG of a head"),
        pytest.param(b"RIFF\x10\0\0\0WEBPVP8 ", "corrupt", id="WebP of a head"),
        pytest.param(text_bomb(), "corrupt", id="bomb of text"),
    ],
)
def test_fault_and_failure(confined: ManyDocuments, content: bytes, failure: str) -> None:
    assert confined.open(content).name == failure


def strip(name: str, size: tuple[int, int]) -> bytes:
    return encoded(Image.new("L", size), name)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "BMP"])  # WebP knows no such sides
@pytest.mark.parametrize("size", [(LONGEST_SIDE + 1, 1), (1, LONGEST_SIDE + 1)])
def test_a_strip_of_few_pixels_is_refused(
    confined: ManyDocuments, name: str, size: tuple[int, int]
) -> None:
    assert confined.open(strip(name, size)).name == "image_too_large"


@pytest.mark.parametrize("size", [(200_000, 1), (1_000_000, 1)])
def test_a_strip_is_refused_by_its_header(confined: ManyDocuments, size: tuple[int, int]) -> None:
    assert confined.open(png_of_size(*size)).name == "image_too_large"


def test_a_later_frame_may_be_no_strip(confined: ManyDocuments) -> None:
    images = [Image.new("L", (8, 8)), Image.new("L", (LONGEST_SIDE + 1, 1))]
    content = encoded(images[0], "TIFF", save_all=True, append_images=images[1:])
    assert confined.open(content).name == "image_too_large"


def test_the_longest_side_is_taken_and_told(confined: ManyDocuments, opener: Opener) -> None:
    (page,) = confined.open(strip("PNG", (LONGEST_SIDE, 1))).pages
    assert page.shape == (1, LONGEST_SIDE, 3)
    with pytest.raises(ImageTooLarge, match=str(LONGEST_SIDE)):
        opener.read(strip("PNG", (LONGEST_SIDE + 1, 1)))


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "WEBP", "BMP"])
def test_a_cut_image_is_corrupt(confined: ManyDocuments, name: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    content = encoded(Image.fromarray(noise), name)
    for percent in range(30, 98, 4):
        assert confined.open(content[: len(content) * percent // 100]).name == "corrupt"


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "WEBP", "BMP"])
def test_flipped_bits_lead_to_known_failures(confined: ManyDocuments, name: str) -> None:
    random = np.random.default_rng(2)
    content = encoded(half_black("RGB").resize((64, 64)), name)
    for _ in range(60):
        damaged = bytearray(content)
        # The first bytes stay, or it would be another kind of document.
        for position in random.integers(18, len(content), 4):
            damaged[position] ^= 1 << random.integers(8)
        assert confined.open(bytes(damaged)).name in {
            "fine",
            "corrupt",
            "image_too_large",
            "page_invalid",
            "too_many_pages",
        }
