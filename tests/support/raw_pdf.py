"""PDF files written byte by byte, for what no PDF library agrees to write."""

import zlib
from collections.abc import Mapping
from functools import cache

CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
PAGE_TREE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
LETTER = b"[0 0 612 792]"
GREETING = b"BT /F 20 Tf 50 50 Td (Hi) Tj ET"


def pdf_of_objects(objects: Mapping[int, bytes]) -> bytes:
    """Return a file with `objects` by number, of which 1 is the catalog."""
    output = bytearray(b"%PDF-1.7\n")
    offsets = {}
    for number, body in objects.items():
        offsets[number] = len(output)
        output += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(output)
    size = max(objects) + 1
    output += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        output += b"%010d 00000 n \n" % offsets.get(number, 0)
    output += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, table)
    return bytes(output)


def pdf_of_page(
    content: bytes = GREETING,
    *,
    media_box: bytes = LETTER,
    entries: bytes = b"",
    x_objects: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return one page that draws `content`; `x_objects` are streams that it can draw by name."""
    streams = x_objects or {}
    names = b"".join(b"/%s %d 0 R" % (name.encode(), 5 + at) for at, name in enumerate(streams))
    page = b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox %s%s/Resources<</XObject<<%s>>>>>>"
    return pdf_of_objects(
        {
            1: CATALOG,
            2: PAGE_TREE,
            3: page % (media_box, entries, names),
            4: content if content.startswith(b"<<") else stream(content),
            **{5 + at: body for at, body in enumerate(streams.values())},
        }
    )


def stream(data: bytes, entries: bytes = b"") -> bytes:
    """Return a stream object with more `entries` in its dictionary."""
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (entries, len(data), data)


def form(content: bytes, entries: bytes = b"") -> bytes:
    """Return a form, which is a drawing to be used by its name."""
    return stream(content, b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]" + entries)


@cache
def deflated_zeros(megabytes: int) -> bytes:
    """Return so many zeros, compressed a thousandfold."""
    compressor = zlib.compressobj(9)
    parts = [compressor.compress(bytes(1 << 20)) for _ in range(megabytes)]
    return b"".join((*parts, compressor.flush()))
