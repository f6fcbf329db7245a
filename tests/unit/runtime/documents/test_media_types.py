import io
import struct
import zipfile

import pytest
from docparser_runtime.documents.media_types import media_type_of
from docparser_runtime.errors import EmptyDocument, UnsupportedMediaType
from PIL import Image
from support.heic import HALF_BLACK, TILED
from support.sample_document import blank_pdf


def image(name: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (4, 4)).save(buffer, name)
    return buffer.getvalue()


def archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("run.sh", "echo")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (blank_pdf(), "application/pdf"),
        (b"\xef\xbb\xbf\r\n" + blank_pdf(), "application/pdf"),
        (image("PNG"), "image/png"),
        (image("JPEG"), "image/jpeg"),
        (image("WEBP"), "image/webp"),
        (image("BMP"), "image/bmp"),
        (image("TIFF"), "image/tiff"),
        (image("GIF"), "image/gif"),
        (image("JPEG2000"), "image/jp2"),
        (image("AVIF"), "image/avif"),
        (HALF_BLACK, "image/heic"),
        (TILED, "image/heic"),
        (image("AVIF").replace(b"ftypavif", b"ftypmif1"), "image/avif"),
        (b"MM\0+" + bytes(20), "image/tiff"),
        (blank_pdf() + b"\n" * 100, "application/pdf"),
    ],
)
def test_supported_kinds_are_known_by_their_content(content: bytes, media_type: str) -> None:
    assert media_type_of(content) == media_type


@pytest.mark.parametrize(
    "content",
    [
        b"\x7fELF\x02\x01\x01" + bytes(60),
        b"MZ" + bytes(60),
        archive(),
        b"<!DOCTYPE html><html></html>",
        b"<html>" + blank_pdf(),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*",
        b"GIF89a",
        b"GIF88a" + bytes(30),
        b"\0\0\0\x1cftypmp42\0\0\0\0mp42isom" + bytes(60),
        b"\0\0\0\x1cftypmif1\0\0\0\0mif1miaf" + bytes(60),
        b"just text",
        b"BM is a common beginning of a sentence, too",
        b"RIFF\x10\0\0\0WAVEfmt ",
        b"\x89PNG\r\n\x1a\nno header chunk",
        b"%!PS-Adobe-3.0",
        bytes(100),
        b"%",
    ],
)
def test_everything_else_is_refused(content: bytes) -> None:
    with pytest.raises(UnsupportedMediaType):
        media_type_of(content)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(blank_pdf() + archive(), id="PDF and ZIP"),
        pytest.param(image("JPEG") + archive(), id="JPEG and ZIP"),
        pytest.param(image("JPEG")[:20] + blank_pdf(), id="JPEG and PDF"),
        pytest.param(b"BM" + bytes(8) + struct.pack("<II", 54, 40) + blank_pdf(), id="BMP and PDF"),
    ],
)
def test_what_is_of_two_kinds_is_refused(content: bytes) -> None:
    with pytest.raises(UnsupportedMediaType):
        media_type_of(content)


def test_a_zip_file_inside_a_pdf_is_no_second_kind() -> None:
    # As in a portfolio: the archive does not end where the file ends.
    assert media_type_of(blank_pdf() + archive() + b"\n%%EOF\n") == "application/pdf"


def test_nothing_is_an_empty_document() -> None:
    with pytest.raises(EmptyDocument):
        media_type_of(b"")
