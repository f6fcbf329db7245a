"""Pure: PDF pages of lines of text and rules, in fonts that every reader of PDF has."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name

from docparser_runtime.outputs.letter_widths import letter_width

WIDTH: Final = 595
HEIGHT: Final = 842
"""Size of a page in points: A4."""
_FONTS: Final = {"F1": Name.Helvetica, "F2": Name("/Helvetica-Bold")}


@dataclass(frozen=True)
class Text:
    """A line of text; it starts at `left` on the base line `bottom`, in points from below."""

    left: float
    bottom: float
    size: float
    text: str
    bold: bool = False


@dataclass(frozen=True)
class Rule:
    """A straight line between two points."""

    left: float
    bottom: float
    right: float
    top: float


Page = tuple[Text | Rule, ...]


def pdf_of(pages: Sequence[Page]) -> bytes:
    """Return a document; the same pages make the same bytes.

    Raises:
        UnicodeEncodeError: a text holds what is not ASCII.
    """
    with pikepdf.new() as pdf:
        fonts = {
            f"/{key}": pdf.make_indirect(
                Dictionary(
                    Type=Name.Font,
                    Subtype=Name.Type1,
                    BaseFont=name,
                    Encoding=Name.WinAnsiEncoding,
                )
            )
            for key, name in _FONTS.items()
        }
        resources = pdf.make_indirect(Dictionary(Font=Dictionary(fonts)))
        for page in pages:
            made = Dictionary(
                Type=Name.Page,
                MediaBox=Array([0, 0, WIDTH, HEIGHT]),
                Resources=resources,
                Contents=pdf.make_stream("\n".join(map(_drawn, page)).encode("ascii")),
            )
            pdf.pages.append(pikepdf.Page(made))
        buffer = BytesIO()
        pdf.save(buffer, deterministic_id=True)
    return buffer.getvalue()


def wrapped(text: str, width: float, size: float) -> tuple[str, ...]:
    """Return `text` as lines that are not wider than `width` points."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and size * sum(map(letter_width, longer)) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return tuple(lines)


def _drawn(mark: Text | Rule) -> str:
    if isinstance(mark, Rule):
        return f"0.75 w {mark.left:g} {mark.bottom:g} m {mark.right:g} {mark.top:g} l S"
    text = mark.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    font = "F2" if mark.bold else "F1"
    return f"BT /{font} {mark.size:g} Tf {mark.left:g} {mark.bottom:g} Td ({text}) Tj ET"
