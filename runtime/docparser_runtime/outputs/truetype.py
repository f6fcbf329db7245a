"""A font file without ink, written table by table as the OpenType specification describes them.

Its first glyph is empty and stands for what is missing. Each of the others stands for all letters
of one width: a stroke from the lower left to the upper right corner of the letter's place, and
back. It has no area that could be filled, but tells readers how large the letters are.
"""

import struct
from collections.abc import Sequence
from itertools import accumulate

UNITS_PER_EM = 1000
_POINTS = 3
_VERSION = 0x00010000
_MAGIC = 0x5F0F3CF5
_CHECKSUM_OF_FILE = 0xB1B0AFBA
_ADJUSTMENT_OFFSET = 8
"""Where in `head` the number stands that makes the checksum of the file come out."""
_WORD = 4


def font_file(widths: Sequence[int]) -> bytes:
    """Return a font whose glyphs, from the second on, have `widths` in thousandths of an em."""
    strokes = [b"", *(_padded(_stroke(width)) for width in widths)]
    count = len(strokes)
    offsets = [0, *accumulate(len(stroke) // 2 for stroke in strokes)]
    metrics = [(UNITS_PER_EM // 2, 0), *((width, 0) for width in widths)]
    tables = {
        b"glyf": b"".join(strokes),
        b"head": _head(adjustment=0),
        b"hhea": _horizontal_head(count),
        b"hmtx": b"".join(struct.pack(">Hh", *metric) for metric in metrics),
        b"loca": struct.pack(f">{count + 1}H", *offsets),
        b"maxp": struct.pack(">IH13H", _VERSION, count, _POINTS, 1, 0, 0, 2, *([0] * 8)),
    }
    sum_of_file = _checksum(_assembled(tables))
    tables[b"head"] = _head(adjustment=(_CHECKSUM_OF_FILE - sum_of_file) % 2**32)
    return _assembled(tables)


def _assembled(tables: dict[bytes, bytes]) -> bytes:
    count = len(tables)
    power = count.bit_length() - 1
    search = 16 * 2**power
    directory = struct.pack(">IHHHH", _VERSION, count, search, power, 16 * count - search)
    offset = len(directory) + 16 * count
    body = b""
    for tag, data in sorted(tables.items()):
        # The checksum of `head` is that which it has without its adjustment.
        place = _ADJUSTMENT_OFFSET if tag == b"head" else len(data)
        summed = data[:place] + bytes(len(data[place : place + _WORD])) + data[place + _WORD :]
        directory += struct.pack(">4sIII", tag, _checksum(summed), offset + len(body), len(data))
        body += _padded(data)
    return directory + body


def _head(adjustment: int) -> bytes:
    return struct.pack(
        ">IIIIHHqqhhhhHHhhh",
        _VERSION,
        _VERSION,
        adjustment,
        _MAGIC,
        0,  # flags
        UNITS_PER_EM,
        0,  # created
        0,  # modified
        *(0, 0, UNITS_PER_EM, UNITS_PER_EM),  # bounding box
        0,  # style
        8,  # smallest readable size in pixels
        2,  # direction hint, which is to be this
        0,  # short offsets in `loca`
        0,
    )


def _stroke(width: int) -> bytes:
    """Return an outline of one contour: to the upper right corner and back, by half-way."""
    head = struct.pack(">hhhhh", 1, 0, 0, width, UNITS_PER_EM)
    on_curve = 0x01
    flags = bytes([on_curve] * _POINTS)
    half = width // 2
    xs = struct.pack(">hhh", 0, 2 * half, -half)
    ys = struct.pack(">hhh", 0, UNITS_PER_EM, -UNITS_PER_EM // 2)
    return head + struct.pack(">HH", _POINTS - 1, 0) + flags + xs + ys


def _horizontal_head(count: int) -> bytes:
    # Letters stand on the baseline and fill the line above it.
    return struct.pack(
        ">IhhhHhhhhhh8xhH", _VERSION, UNITS_PER_EM, 0, 0, UNITS_PER_EM, *([0] * 4), 1, 0, 0, count
    )


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _WORD)


def _checksum(data: bytes) -> int:
    padded = _padded(data)
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // _WORD}I", padded)
    return sum(words) % 2**32
