"""What a document is, judged by its first and last bytes and never by its name."""

import struct
from collections.abc import Callable, Mapping

from docparser_runtime.errors import EmptyDocument, UnsupportedMediaType

PDF = "application/pdf"

_PDF_MARK = b"%PDF-"
_PDF_SEARCH = 1024
"""Viewers accept a PDF header anywhere in so many first bytes."""
_ZIP_END = b"PK\x05\x06"
_ZIP_END_LENGTH = 22
_ZIP_LONGEST_COMMENT = 0xFFFF
_HEIC_BRANDS = frozenset((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"))
_AVIF_BRANDS = frozenset((b"avif", b"avis"))
_HEIF_BRANDS = frozenset((b"mif1", b"msf1"))
"""Brands of files that say only further in how their pictures are coded."""
_CODING_SEARCH = 65536
"""First bytes in which they say so."""
_BMP_HEADER_SIZES = frozenset((12, 16, 40, 52, 56, 64, 108, 124))


def media_type_of(content: bytes) -> str:
    """Return the media type of `content`.

    Content that is two things at once is refused, because whoever checks it
    and whoever opens it might not mean the same thing.

    Raises:
        EmptyDocument: there is no byte.
        UnsupportedMediaType: it is none of the supported kinds, or of two kinds.
    """
    if not content:
        raise EmptyDocument("The document has no content.")
    for media_type, matches in _MATCHERS.items():
        if matches(content):
            if _has_second_nature(media_type, content):
                break
            return media_type
    raise UnsupportedMediaType(
        "The content is no PDF, PNG, JPEG, WebP, BMP, TIFF, GIF, JPEG 2000, HEIC or AVIF document."
    )


def _is_pdf(content: bytes) -> bool:
    # A byte order mark or blank lines before the header are a common flaw of
    # writers; anything else there belongs to another format.
    head = content[:_PDF_SEARCH].removeprefix(b"\xef\xbb\xbf").lstrip(b"\0\t\n\f\r ")
    return head.startswith(_PDF_MARK)


def _is_png(content: bytes) -> bool:
    return content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR"


def _is_jpeg(content: bytes) -> bool:
    return content.startswith(b"\xff\xd8\xff")


def _is_webp(content: bytes) -> bool:
    return content.startswith(b"RIFF") and content[8:12] == b"WEBP"


def _is_bmp(content: bytes) -> bool:
    # Two letters are too little; the fields behind them must make sense too.
    if not content.startswith(b"BM") or len(content) < 26:  # noqa: PLR2004 - both headers
        return False
    pixels_at, header_size = struct.unpack_from("<II", content, 10)
    return header_size in _BMP_HEADER_SIZES and pixels_at >= 14 + header_size


def _is_tiff(content: bytes) -> bool:
    return content.startswith((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"))


def _is_gif(content: bytes) -> bool:
    # Behind the version stand the size and three more bytes.
    return content.startswith((b"GIF87a", b"GIF89a")) and len(content) > 13  # noqa: PLR2004


def _is_jpeg_2000(content: bytes) -> bool:
    return content.startswith(b"\0\0\0\x0cjP  \r\n\x87\n")


def _is_heic(content: bytes) -> bool:
    return _has_pictures(content, _HEIC_BRANDS, b"hvcC")


def _is_avif(content: bytes) -> bool:
    return _has_pictures(content, _AVIF_BRANDS, b"av1C")


def _has_pictures(content: bytes, brands: frozenset[bytes], decoder_setup: bytes) -> bool:
    """Whether `content` is a file of the ISO base media format with pictures of one coding."""
    if content[4:8] != b"ftyp":
        return False
    brand = content[8:12]
    return brand in brands or (brand in _HEIF_BRANDS and decoder_setup in content[:_CODING_SEARCH])


_MATCHERS: Mapping[str, Callable[[bytes], bool]] = {
    PDF: _is_pdf,
    "image/png": _is_png,
    "image/jpeg": _is_jpeg,
    "image/webp": _is_webp,
    "image/bmp": _is_bmp,
    "image/tiff": _is_tiff,
    "image/gif": _is_gif,
    "image/jp2": _is_jpeg_2000,
    "image/heic": _is_heic,
    "image/avif": _is_avif,
}


def _has_second_nature(media_type: str, content: bytes) -> bool:
    if media_type != PDF and _PDF_MARK in content[:_PDF_SEARCH]:
        return True
    return _ends_as_zip(content)


def _ends_as_zip(content: bytes) -> bool:
    """Whether an archive program would find a ZIP file at the end of `content`."""
    tail = content[-(_ZIP_END_LENGTH + _ZIP_LONGEST_COMMENT) :]
    position = tail.rfind(_ZIP_END)
    while position >= 0:
        rest = len(tail) - position
        if rest >= _ZIP_END_LENGTH:
            (comment_length,) = struct.unpack_from("<H", tail, position + 20)
            if comment_length == rest - _ZIP_END_LENGTH:
                return True
        position = tail.rfind(_ZIP_END, 0, position)
    return False
