"""A font in which a PDF says any text and shows nothing.

Each letter that occurs gets a number. The font says which letter a number stands for, which is what
is copied and found, and roughly how wide the letter would be, so that words stand where they are
seen.
"""

import struct
from collections.abc import Iterator, Sequence
from itertools import islice

import pikepdf
from pikepdf import Array, Dictionary, Name

from docparser_runtime.outputs import truetype
from docparser_runtime.outputs.letter_widths import LETTER_WIDTHS, letter_width
from docparser_runtime.outputs.scripts import clusters

MOST_LETTERS = 0xFFFE
"""Different letters that fit in a font; those of all writings together are not many more."""
_NAME = Name("/InvisibleText")
_MOST_ENTRIES = 100
"""Entries of one section of a character map that every reader accepts."""
_FIXED_PITCH_AND_SYMBOLIC = 1 | 4
_MAP_START = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
"""
_MAP_END = """endcmap
CMapName currentdict /CMap defineresource pop
end
end
"""


class InvisibleFont:
    """Numbers letters as they come, and becomes a font of `pdf` in the end."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._pdf = pdf
        self._numbers: dict[str, int] = {}
        self.reference = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type0))
        """What pages refer to; it is a font once `complete` was called."""

    def encoded(self, text: str) -> bytes:
        """Return `text` as the codes that show it; letters that do not fit any more are missing."""
        return b"".join(
            number.to_bytes(2, "big") for number in map(self._number, clusters(text)) if number
        )

    def complete(self) -> None:
        """Write the font with all letters that were encoded."""
        letters = [*self._numbers]
        meanings = self._pdf.make_stream(_meanings(letters).encode("ascii"))
        widths = [letter_width(letter) for letter in letters]
        glyphs = (0, *(1 + LETTER_WIDTHS.index(width) for width in widths))
        descendant = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=_NAME,
            CIDSystemInfo=Dictionary(
                Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0
            ),
            FontDescriptor=self._pdf.make_indirect(self._descriptor()),
            CIDToGIDMap=self._pdf.make_stream(struct.pack(f">{len(glyphs)}H", *glyphs)),
            DW=500,
            W=Array([1, Array([*map(_units, widths)])]),
        )
        self.reference.BaseFont = _NAME
        self.reference.Encoding = Name("/Identity-H")
        self.reference.DescendantFonts = Array([self._pdf.make_indirect(descendant)])
        self.reference.ToUnicode = meanings

    def _number(self, letter: str) -> int | None:
        if letter not in self._numbers and len(self._numbers) >= MOST_LETTERS:
            return None
        return self._numbers.setdefault(letter, len(self._numbers) + 1)

    def _descriptor(self) -> Dictionary:
        file = truetype.font_file([*map(_units, LETTER_WIDTHS)])
        em = truetype.UNITS_PER_EM
        return Dictionary(
            Type=Name.FontDescriptor,
            FontName=_NAME,
            Flags=_FIXED_PITCH_AND_SYMBOLIC,
            FontBBox=Array([0, 0, em, em]),
            ItalicAngle=0,
            Ascent=em,
            Descent=0,
            CapHeight=em,
            StemV=80,
            FontFile2=self._pdf.make_stream(file, Length1=len(file)),
        )


def _units(ems: float) -> int:
    return round(truetype.UNITS_PER_EM * ems)


def _meanings(letters: Sequence[str]) -> str:
    """Return the character map from numbers, counted from 1, to letters."""
    entries = (
        f"<{number:04X}> <{letter.encode('utf-16-be').hex().upper()}>\n"
        for number, letter in enumerate(letters, 1)
    )
    sections = (
        f"{len(section)} beginbfchar\n{''.join(section)}endbfchar\n"
        for section in _sections(entries)
    )
    return _MAP_START + "".join(sections) + _MAP_END


def _sections(entries: Iterator[str]) -> Iterator[list[str]]:
    while section := [*islice(entries, _MOST_ENTRIES)]:
        yield section
