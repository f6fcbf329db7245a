"""Images of every flaw, decoded in a process that is confined as in the service."""

import struct
import zlib

import numpy as np
import pytest
from docparser_runtime.errors import ImageTooLarge
from docparser_runtime.parser_child.images import FORMATS
from docparser_runtime.parser_child.limits import LONGEST_SIDE
from PIL import Image
from support.images import encoded, frames, half_black
from unit.runtime.documents.many_documents import ManyDocuments
from unit.runtime.documents.opener import Opener


def png_of_size(width: int, height: int) -> bytes:
    """Return the beginning of an image that claims to have this size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", bytes(100))


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a piece of a PNG file."""
    check = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + check


def gif_of_size(width: int, height: int) -> bytes:
    content = encoded(half_black("P"), "GIF")
    return content[:6] + struct.pack("<HH", width, height) + content[10:]


def jp2_of_size(width: int, height: int) -> bytes:
    """Return an image whose head and whose coded data claim to have this size."""
    content = bytearray(encoded(half_black("RGB"), "JPEG2000"))
    head, data = content.index(b"ihdr") + 4, content.index(b"\xff\x4f\xff\x51") + 8
    content[head : head + 8] = struct.pack(">II", height, width)
    content[data : data + 8] = struct.pack(">II", width, height)
    return bytes(content)


def avif_of_size(width: int, height: int) -> bytes:
    content = encoded(half_black("RGB"), "AVIF")
    place = content.index(b"ispe") + 8
    return content[:place] + struct.pack(">II", width, height) + content[place + 8 :]


def text_bomb() -> bytes:
    """Return an image with a comment that unpacks to 50 million letters."""
    content = encoded(half_black("RGB"), "PNG")
    bomb = chunk(b"zTXt", b"bomb\0\0" + zlib.compress(bytes(50_000_000), 9))
    return content[:33] + bomb + content[33:]


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
        pytest.param(gif_of_size(2001, 2000), "image_too_large", id="GIF too large"),
        pytest.param(jp2_of_size(2001, 2000), "image_too_large", id="JPEG 2000 too large"),
        pytest.param(jp2_of_size(2**31, 2**31), "image_too_large", id="JPEG 2000 bomb"),
        pytest.param(avif_of_size(2001, 2000), "image_too_large", id="AVIF too large"),
        pytest.param(avif_of_size(65535, 65535), "corrupt", id="AVIF bomb"),
        pytest.param(text_bomb(), "corrupt", id="bomb of text"),
    ],
)
def test_fault_and_failure(confined: ManyDocuments, content: bytes, failure: str) -> None:
    assert confined.open(content).name == failure


def strip(name: str, size: tuple[int, int]) -> bytes:
    return encoded(Image.new("L", size), name)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "TIFF", "BMP", "GIF", "JPEG2000"])
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


@pytest.mark.parametrize("name", sorted(FORMATS.values()))
def test_a_cut_image_is_corrupt(confined: ManyDocuments, name: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    content = encoded(Image.fromarray(noise), name)
    for percent in range(30, 98, 4):
        assert confined.open(content[: len(content) * percent // 100]).name == "corrupt"


@pytest.mark.parametrize("name", sorted(FORMATS.values()))
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
