"""Images that are made to hurt: sizes that lie, bombs, and loops."""

import struct
import zlib
from collections.abc import Mapping

from PIL import Image
from support.images import encoded, half_black
from support.raw_pdf import deflated_zeros, pdf_of_page

_PNG = b"\x89PNG\r\n\x1a\n"
_MANY = 2**31 - 1
_TIFF_SHORT, _TIFF_LONG = 3, 4


def hostile_images() -> dict[str, bytes]:
    """Return files by name."""
    kinds = {"PNG": _pngs(), "JPEG": _jpegs(), "WebP": _webps(), "BMP": _bmps()}
    kinds |= {"TIFF": _tiffs(), "GIF": _gifs(), "two kinds": _polyglots()}
    return {
        f"{kind}: {name}": file for kind, files in kinds.items() for name, file in files.items()
    }


def _chunk(name: bytes, data: bytes, length: int | None = None) -> bytes:
    size = len(data) if length is None else length
    return struct.pack(">I", size) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _png(width: int, height: int, *chunks: bytes, bits: int = 8, colour: int = 2) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return _PNG + _chunk(b"IHDR", head) + b"".join(chunks) + _chunk(b"IEND", b"")


def _pngs() -> Mapping[str, bytes]:
    row = _chunk(b"IDAT", zlib.compress(bytes(4)))
    zeros = deflated_zeros(200)
    frames = b"".join(
        _chunk(b"fcTL", struct.pack(">IIIIIHHBB", n, 9, 9, _MANY, _MANY, 0, 0, 9, 9))
        for n in range(2000)
    )
    return {
        "2^31 by 2^31": _png(_MANY, _MANY, row),
        "100,000 by 1": _png(100_000, 1, row),
        "30,000 by 30,000": _png(30_000, 30_000, _chunk(b"IDAT", zeros)),
        "8,000 by 8,000, all there": _png(8000, 8000, _chunk(b"IDAT", zeros)),
        "1 by 1 with 200 MiB": _png(1, 1, _chunk(b"IDAT", zeros)),
        "no area": _png(0, 0, row),
        "no data": _png(1, 1),
        "255 bits": _png(1, 1, row, bits=255),
        "no such colours": _png(1, 1, row, colour=7),
        "no palette": _png(1, 1, row, colour=3),
        "text of 200 MiB": _png(1, 1, _chunk(b"zTXt", b"k\0\0" + zeros), row),
        "text in a language of 200 MiB": _png(1, 1, _chunk(b"iTXt", b"k\0\1\0\0\0" + zeros), row),
        "profile of 200 MiB": _png(1, 1, _chunk(b"iCCP", b"k\0\0" + zeros), row),
        "10,000 texts": _png(1, 1, *[_chunk(b"tEXt", b"k\0" + bytes(99))] * 10_000, row),
        "chunk of 2^31": _png(1, 1, _chunk(b"IDAT", b"", _MANY)),
        "chunk of 2^32": _png(1, 1, _chunk(b"tEXt", b"", 2**32 - 1), row),
        "2^31 frames": _png(1, 1, _chunk(b"acTL", struct.pack(">II", _MANY, 0)), frames, row),
        "1,000 headers": _png(1, 1, *[_chunk(b"IHDR", bytes(13))] * 1000, row),
        "only a header": _PNG + b"\0\0\0\rIHDR",
    }


def _jpegs() -> Mapping[str, bytes]:
    whole = encoded(Image.new("RGB", (64, 64)), "JPEG")
    waves = encoded(Image.new("RGB", (64, 64)), "JPEG", progressive=True)
    frame, scan = whole.index(b"\xff\xc0"), whole.index(b"\xff\xda")
    scans = waves.index(b"\xff\xda")
    size_of_waves = waves.index(b"\xff\xc2") + 5
    large = waves[:size_of_waves] + struct.pack(">HH", 6000, 6000) + waves[size_of_waves + 4 :]
    return {
        "65,535 by 65,535": _with_size(whole, 65_535, 65_535),
        "6,000 by 6,000, mostly missing": _with_size(whole, 6000, 6000),
        "no area": _with_size(whole, 0, 0),
        "no colours": whole[: frame + 9] + b"\0" + whole[frame + 10 :],
        "255 colours": whole[: frame + 9] + b"\xff" + whole[frame + 10 :],
        "no frame": whole[:frame] + whole[scan:],
        "1,000 times its scans": waves[:-2] + waves[scans:-2] * 1000 + b"\xff\xd9",
        "large, and many scans": large[:-2] + large[scans:-2] * 300 + b"\xff\xd9",
        "starts only": b"\xff\xd8" * 100_000,
        "marks only": b"\xff\xd8\xff\xe1" + b"\xff\xe1\x00\x02" * 100_000,
        "Exif of itself": _with_exif(
            whole, b"MM\0*\0\0\0\x08\0\x01\x87i\0\x04\0\0\0\x01\0\0\0\x08"
        ),
        "Exif of noise": _with_exif(whole, bytes(range(256)) * 200),
        "turned 65,535 ways": _with_exif(
            whole, b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\xff\xff\0\0\0\0\0\0"
        ),
        "restarts only": whole[:-2] + b"\xff\xd0\xff\xd1" * 50_000,
    }


def _with_size(jpeg: bytes, width: int, height: int) -> bytes:
    at = jpeg.index(b"\xff\xc0") + 5
    return jpeg[:at] + struct.pack(">HH", height, width) + jpeg[at + 4 :]


def _with_exif(jpeg: bytes, exif: bytes) -> bytes:
    data = b"Exif\0\0" + exif
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + jpeg[2:]


def _webps() -> Mapping[str, bytes]:
    whole = encoded(half_black("RGB"), "WEBP", lossless=True)
    canvas = b"VP8X" + struct.pack("<I", 10) + b"\x02\0\0\0" + b"\xff" * 6
    frame = b"ANMF" + struct.pack("<I", 16 + len(whole) - 12) + bytes(16) + whole[12:]
    many = canvas + b"ANIM\6\0\0\0" + bytes(6) + frame * 2000
    return {
        "size of 2^32": whole[:4] + b"\xff" * 4 + whole[8:],
        "size of nothing": whole[:4] + bytes(4) + whole[8:],
        "canvas of 2^24": b"RIFF" + struct.pack("<I", 4 + len(many)) + b"WEBP" + many,
        "noise": whole[:20] + bytes(range(256)) * 40,
        "lossless, 16,384 by 16,384": whole[:21] + b"\xff" * 4 + whole[25:],
        "only a header": whole[:12],
    }


def _bmp(width: int, height: int, bits: int, compression: int, data: bytes = b"") -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, 0, 0, 0, _MANY, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + head + data


def _bmps() -> Mapping[str, bytes]:
    return {
        "2^31 by 2^31": _bmp(_MANY, _MANY, 24, 0),
        "-2^31 by -2^31": _bmp(-_MANY, -_MANY, 24, 0),
        "255 bits": _bmp(9, 9, 255, 0, bytes(999)),
        "no bits": _bmp(9, 9, 0, 0, bytes(999)),
        "compressed by nobody": _bmp(9, 9, 8, 999, bytes(9999)),
        "runs without end": _bmp(4000, 4000, 8, 1, bytes(1024) + b"\xff\x01" * 100_000),
        "moves only": _bmp(4000, 4000, 8, 1, bytes(1024) + b"\0\2\xff\xff" * 100_000),
        "6,000 by 6,000 of nothing": _bmp(6000, 6000, 1, 0),
    }


def _tiff(*directories: list[tuple[int, int, int, int]], last: int = 0, data: bytes = b"") -> bytes:
    """Return a file of directories, each with entries of tag, type, count and value."""
    output = b"II*\0" + struct.pack("<I", 8)
    for number, entries in enumerate(directories, start=1):
        end = len(output) + 6 + 12 * len(entries)
        output += struct.pack("<H", len(entries))
        output += b"".join(struct.pack("<HHII", *entry) for entry in entries)
        output += struct.pack("<I", last if number == len(directories) else end)
    return output + data


def _page(
    width: int, height: int, compression: int = 1, at: int = 0, size: int = 64, bits: int = 8
) -> list[tuple[int, int, int, int]]:
    values = {256: width, 257: height, 258: bits, 259: compression, 262: 1, 273: at, 277: 1}
    values |= {278: height, 279: size}
    return [(tag, _TIFF_LONG, 1, value) for tag, value in values.items()]


def _tiffs() -> Mapping[str, bytes]:
    zeros = deflated_zeros(200)
    page = _page(8, 8)
    behind = 8 + 6 + 12 * len(page)
    return {
        "2^31 by 2^31": _tiff(_page(_MANY, _MANY)),
        "no area": _tiff(_page(0, 0)),
        "page after itself": _tiff(page, last=8),
        "page behind the end": _tiff(page, last=_MANY),
        "3,000 pages": _tiff(*[page] * 3000),
        "strip behind the end": _tiff(_page(8, 8, at=_MANY, size=_MANY)),
        "strip of 2^32": _tiff(_page(8, 8, at=8, size=2**32 - 1)),
        "2^32 strips": _tiff([*page[:5], (273, _TIFF_LONG, 2**32 - 1, 8), *page[6:]]),
        "2^32 bits": _tiff([*page[:2], (258, _TIFF_SHORT, 2**32 - 1, 8), *page[3:]]),
        "tiles of nothing": _tiff([*page, (322, 4, 1, 0), (323, 4, 1, 0), (324, 4, 1, 8)]),
        "tiles of 2^31": _tiff([*page, (322, 4, 1, _MANY), (323, 4, 1, _MANY), (324, 4, 1, 8)]),
        "compressed by nobody": _tiff(_page(8, 8, compression=9999)),
        "bomb of Deflate": _tiff(_page(8, 8, 8, behind, len(zeros)), data=zeros),
        "9,000 by 9,000 of Deflate": _tiff(_page(9000, 9000, 8, behind, len(zeros)), data=zeros),
        "noise in LZW": _tiff(_page(900, 900, 5, behind, 256), data=bytes(range(256))),
        "noise in fax": _tiff(_page(900, 900, 4, behind, 256, bits=1), data=bytes(range(256))),
        "noise in JPEG": _tiff(_page(900, 900, 7, behind, 256), data=bytes(range(256))),
        "directory of itself": _tiff([*page, (330, _TIFF_LONG, 1, 8), (34665, _TIFF_LONG, 1, 8)]),
        "no directory": b"II*\0\xff\xff\xff\x7f",
        "large form, 2^63 on": b"II+\0\x08\0\0\0" + b"\xff" * 8,
        "only a header": b"MM\0*",
    }


def _gifs() -> Mapping[str, bytes]:
    head = b"GIF89a" + struct.pack("<HH", 65_535, 65_535) + bytes(3)
    frame = b"," + struct.pack("<HHHH", 0, 0, 65_535, 65_535) + b"\0\x02\x01\x44\0"
    return {
        "65,535 by 65,535": head + frame + b";",
        "5,000 frames": head + frame * 5000 + b";",
        "codes of 255 bits": head + frame.replace(b"\0\x02\x01", b"\0\xff\x01") + b";",
        "remarks only": head + b"!\xfe\x01a\0" * 100_000,
        "only a header": head,
    }


def _polyglots() -> Mapping[str, bytes]:
    pdf, png = pdf_of_page(), encoded(half_black("RGB"), "PNG")
    jpeg, gif = encoded(half_black("RGB"), "JPEG"), encoded(half_black("P"), "GIF")
    zip_end = b"PK\x05\x06" + bytes(18)
    return {
        "PNG, then PDF": png + pdf,
        "PDF in a PNG": _png(1, 1, _chunk(b"tEXt", pdf)),
        "PDF, then PNG": pdf + png,
        "PDF in a JPEG": jpeg[:2] + b"\xff\xfe\x08\0" + pdf.ljust(2046) + jpeg[2:],
        "JPEG, then ZIP": jpeg + zip_end,
        "PDF, then ZIP": pdf + zip_end,
        "GIF, then script": gif + b"<script>alert(1)</script>",
        "script, then PDF": b"<script>alert(1)</script>" + pdf,
        "PNG called TIFF": b"II*\0" + png,
        "blank, then PDF": b" " * 1000 + pdf,
        "HTML": b"<!DOCTYPE html><img src=http://127.0.0.1:9/>",
        "SVG": b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
        "program": b"\x7fELF" + bytes(999),
        "zeros": bytes(100_000),
        "one byte": b"%",
    }
