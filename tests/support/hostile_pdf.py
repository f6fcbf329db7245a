"""PDF files that are made to hurt: loops, bombs, and numbers beyond all sense."""

import zlib
from collections.abc import Mapping

from support.raw_pdf import (
    CATALOG,
    LETTER,
    PAGE_TREE,
    deflated_zeros,
    form,
    pdf_of_objects,
    pdf_of_page,
    stream,
)

_PAGE = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R%s>>"
_DRAW = b"q 612 0 0 792 0 0 cm /I Do Q"
_BOXES = (
    b"[0 0 NaN 500]",
    b"[0 0 1e308 1e308]",
    b"[0 0 -1 -1]",
    b"[0 0 2147483648 2147483648]",
    b"[0 0 0 0]",
    b"[1 2 3]",
    b"[/A /B /C /D]",
    b"[9 0 R 9 0 R 9 0 R 9 0 R]",
    b"9 0 R",
    b"(text)",
    b"[[0] [0] [612] [792]]",
    b"[0 0 0.0000001 99999999]",
    b"null",
)
_IMAGES: Mapping[str, bytes] = {
    "width of 2^31": b"/Width 2147483647/Height 2/BitsPerComponent 8/ColorSpace/DeviceRGB",
    "no area": b"/Width 0/Height 0/BitsPerComponent 8/ColorSpace/DeviceGray",
    "255 bits": b"/Width 9/Height 9/BitsPerComponent 255/ColorSpace/DeviceGray",
    "negative": b"/Width -9/Height -9/BitsPerComponent 8/ColorSpace/DeviceGray",
    "JBIG2": b"/Width 99/Height 99/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode",
    "JPX": b"/Width 99/Height 99/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/JPXDecode",
    "DCT": b"/Width 99/Height 99/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode",
    "fax of 2^31 columns": b"/Width 99/Height 99/BitsPerComponent 1/ColorSpace/DeviceGray"
    b"/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 2147483647/Rows 2147483647>>",
    "its own mask": b"/Width 9/Height 9/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 5 0 R",
    "palette of 2^31": b"/Width 9/Height 9/BitsPerComponent 8"
    b"/ColorSpace[/Indexed/DeviceRGB 2147483647(abc)]",
    "colours of themselves": b"/Width 9/Height 9/BitsPerComponent 8/ColorSpace 5 0 R",
    "predictor of 2^31 columns": b"/Width 9/Height 9/BitsPerComponent 8/ColorSpace/DeviceGray"
    b"/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 2147483647/Colors 32>>",
}
_CONTENTS: Mapping[str, bytes] = {
    "states without end": b"q " * 500_000,
    "arrays without end": b"[" * 500_000,
    "dictionaries without end": b"/A <<" * 100_000 + b" BDC",
    "endless numbers": b"9" * 1_000_000 + b" 0 m",
    "dashes of nothing": b"[0.0000001] 0 d 0 0 m 99999999 99999999 l S",
    "a stroke of 2^31": b"2147483647 w 0 0 m 1e30 1e30 l S",
    "letters of 2^31": b"BT /F 2147483647 Tf (A) Tj ET",
    "endless text": b"BT /F 9 Tf (" + b"A" * 1_000_000 + b") Tj ET",
    "operators of nothing": b"cm Tj Do sh BI ID EI re " * 20_000,
    "inline image of 2^31": b"BI /W 2147483647 /H 2147483647 /BPC 8 /CS /RGB ID abc EI",
    "noise": bytes(range(256)) * 400,
}


def hostile_pdfs() -> dict[str, bytes]:
    """Return files by name."""
    found = {f"page of {box.decode()}": pdf_of_page(media_box=box) for box in _BOXES}
    found |= {name: pdf_of_page(content) for name, content in _CONTENTS.items()}
    for name, head in _IMAGES.items():
        image = stream(bytes(range(256)), b"/Type/XObject/Subtype/Image" + head)
        found[f"image: {name}"] = pdf_of_page(_DRAW, x_objects={"I": image})
    return found | _structures() | _tables() | _bombs() | _recursions()


def _structures() -> dict[str, bytes]:
    def with_tree(tree: bytes) -> bytes:
        return pdf_of_objects({1: CATALOG, 2: tree, 3: _PAGE % b"", 4: stream(b"")})

    chain = {n: b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (n + 1) for n in range(2, 3000)}
    return {
        "only a header": b"%PDF-1.7\n",
        "header and noise": b"%PDF-1.7\n" + bytes(range(256)) * 40,
        "headers only": b"%PDF-1.7\n" * 10_000,
        "ends only": b"%PDF-1.7\n" + b"startxref\n0\n%%EOF\n" * 10_000,
        "catalog of itself": pdf_of_objects({1: b"1 0 R"}),
        "pages of themselves": with_tree(b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"),
        "pages of the catalog": with_tree(b"<</Type/Pages/Kids[1 0 R]/Count 1>>"),
        "2^31 pages": with_tree(PAGE_TREE.replace(b"Count 1", b"Count 2147483647")),
        "-1 pages": with_tree(PAGE_TREE.replace(b"Count 1", b"Count -1")),
        "one page 100,000 times": with_tree(
            b"<</Type/Pages/Count 100000/Kids[" + b"3 0 R " * 100_000 + b"]>>"
        ),
        "pages in pages in pages": pdf_of_objects(
            {1: CATALOG, **chain, 3000: _PAGE % b"/Rotate 90"}
        ),
        "deep array": with_tree(b"[" * 100_000),
        "deep dictionary": with_tree(b"<</A" * 100_000),
        "endless name": with_tree(b"<</" + b"A" * 1_000_000 + b" 1>>"),
        "launch": pdf_of_page(entries=b"/AA<</O<</S/Launch/F(/bin/sh)>>>>"),
        "script": pdf_of_page(entries=b"/AA<</O<</S/JavaScript/JS(while(1);)>>>>"),
        "address": pdf_of_page(entries=b"/AA<</O<</S/URI/URI(http://127.0.0.1:9/)>>>>"),
        "stream in a file": pdf_of_page(stream(b"", b"/F(/etc/passwd)")),
        "stream at an address": pdf_of_page(stream(b"", b"/F<</FS/URL/F(http://127.0.0.1:9/)>>")),
        "length of 2^63": pdf_of_page().replace(b"/Length 31", b"/Length 9223372036854775807"),
        "length of itself": pdf_of_page().replace(b"/Length 31", b"/Length 4 0 R"),
        "locked by nonsense": pdf_of_page().replace(
            b"/Root", b"/Encrypt<</Filter/Standard/V 9/R 9/Length 2147483647/O()/U()/P 0>>/Root"
        ),
        "locked by itself": pdf_of_page().replace(b"/Root", b"/Encrypt 1 0 R/Root"),
    }


def _tables() -> dict[str, bytes]:
    whole = pdf_of_page()
    at = int(whole.rpartition(b"startxref\n")[2].split()[0])
    return {
        **{
            f"previous table at {place}": whole.replace(b"/Root", b"/Prev %d/Root" % place)
            for place in (at, 0, -1, at - 1, 2**31, 2**63, 10**30)
        },
        **{
            f"table at {place}": whole.replace(b"startxref\n%d" % at, b"startxref\n%d" % place)
            for place in (0, -1, 2**31, 2**64)
        },
        "tables of each other": whole.replace(b"/Root", b"/Prev %d/Root" % (len(whole) + 60))
        + b"\n" * 100
        + b"xref\n0 0\ntrailer\n<</Root 1 0 R/Prev %d>>\n" % at,
        "table of 2^31 objects": whole.replace(b"xref\n0 5", b"xref\n0 2147483647"),
        "table from 2^31 on": whole.replace(b"xref\n0 5", b"xref\n2147483647 5"),
        "size of 2^31": whole.replace(b"/Size 5", b"/Size 2147483647"),
        "table of zeros": whole.replace(b"00000 n", b"65535 f"),
        "table of itself as a stream": _stream_table(b"/Prev 0/W[1 8 8]/Index[0 2147483647]"),
        "stream table of no width": _stream_table(b"/W[0 0 0]/Index[0 2147483647]"),
        "stream table of huge width": _stream_table(b"/W[2147483647 2147483647 1]"),
        "objects in themselves": _object_stream(b"4 0 5 0 ", 2, b"/Extends 4 0 R"),
        "2^31 objects in a stream": _object_stream(b"", 2**31 - 1, b""),
        "objects behind the end": _object_stream(b"1 999999999 2 -1 ", 2, b""),
    }


def _stream_table(entries: bytes) -> bytes:
    head = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    table = stream(bytes(96), b"/Type/XRef/Size 9/Root 1 0 R" + entries)
    return head + b"9 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF" % (table, len(head))


def _object_stream(index: bytes, count: int, entries: bytes) -> bytes:
    inner = stream(
        index + b"<</Type/Catalog>>", b"/Type/ObjStm/N %d/First %d" % (count, len(index))
    )
    outer = inner.replace(b"/Type/ObjStm", b"/Type/ObjStm" + entries)
    return pdf_of_objects({1: CATALOG, 2: PAGE_TREE, 3: _PAGE % b"", 4: outer})


def _bombs() -> dict[str, bytes]:
    zeros = deflated_zeros(200)
    twice = zlib.compress(zeros, 9)
    run = b"\x81\x00" * 500_000 + b"\x80"
    lzw = _lzw_zeros(40_000)
    filters: Mapping[str, tuple[bytes, bytes]] = {
        "Flate": (b"/FlateDecode", zeros),
        "Flate of Flate": (b"[/FlateDecode/FlateDecode]", twice),
        "RunLength": (b"/RunLengthDecode", run),
        "RunLength in Flate": (b"[/FlateDecode/RunLengthDecode]", zlib.compress(run * 20, 9)),
        "LZW": (b"/LZWDecode", lzw),
        "LZW in Flate": (b"[/FlateDecode/LZWDecode]", zlib.compress(lzw * 50, 9)),
        "ASCII85 in Flate": (b"[/FlateDecode/ASCII85Decode]", zlib.compress(b"z" * 40_000_000, 9)),
        "1,000 filters": (b"[" + b"/FlateDecode" * 1000 + b"]", zeros[:100]),
    }
    whole: Mapping[str, tuple[bytes, bytes]] = {"a filter of no name": (b"/No", b"abc"), **filters}
    return {
        f"bomb: {name}": pdf_of_page(stream(data, b"/Filter" + filter_))
        for name, (filter_, data) in whole.items()
    }


def _lzw_zeros(codes: int) -> bytes:
    """Return zeros as LZW: each code stands for one zero more than the code before."""
    bits, width, following = "100000000", 9, 258
    parts = [bits, "000000000"]
    for _ in range(codes):
        if following == 4095:
            parts.append(format(256, f"0{width}b") + "000000000")
            width, following = 9, 258
        parts.append(format(following, f"0{width}b"))
        following += 1
        if following + 1 >= 1 << width and width < 12:
            width += 1
    text = "".join(parts)
    return int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")


def _recursions() -> dict[str, bytes]:
    draws = b"/Resources<</XObject<</I 5 0 R/J 6 0 R>>>>"
    twice = form(b"/I Do /I Do /J Do /J Do", draws)
    forms = {
        5 + n: form(b"/N Do " * 10, b"/Resources<</XObject<</N %d 0 R>>>>" % (6 + n))
        for n in range(12)
    }
    tiles = stream(
        b"0 0 1 1 re f",
        b"/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.00001/YStep 0.00001"
        b"/Resources<<>>",
    )
    font = b"<</Type/Font/Subtype/TrueType/BaseFont/A/FontDescriptor<</FontFile2 6 0 R>>>>"
    letters = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 65"
        b"/LastChar 65/Widths[9]/CharProcs<</A 4 0 R>>/Resources<</Font<</F 5 0 R>>>>"
        b"/Encoding<</Differences[65/A]>>>>"
    )

    def page(resources: bytes, content: bytes, objects: Mapping[int, bytes]) -> bytes:
        entries = b"/Resources<<%s>>" % resources
        return pdf_of_objects(
            {1: CATALOG, 2: PAGE_TREE, 3: _PAGE % entries, 4: stream(content), **objects}
        )

    text = b"BT /F 9 Tf (AAAA) Tj ET"
    return {
        "forms of each other": pdf_of_page(b"/I Do", x_objects={"I": twice, "J": twice}),
        "10^12 forms": page(b"/XObject<</N 5 0 R>>", b"/N Do", forms),
        "tiles of nothing": page(
            b"/Pattern<</P 5 0 R>>", b"/Pattern cs /P scn 0 0 612 792 re f", {5: tiles}
        ),
        "letters of themselves": page(b"/Font<</F 5 0 R>>", text, {5: letters}),
        "font of noise": page(
            b"/Font<</F 5 0 R>>", text, {5: font, 6: stream(bytes(range(256)) * 40)}
        ),
        "page inherits from itself": pdf_of_page(media_box=LETTER).replace(
            b"/Parent 2 0 R", b"/Parent 3 0 R"
        ),
    }
