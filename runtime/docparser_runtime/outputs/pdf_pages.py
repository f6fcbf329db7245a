"""Pages of a PDF that is there already: what they say themselves, and text put below the rest."""

import io

import pikepdf
import pypdfium2  # type: ignore[import-untyped]
from pikepdf import Array, Dictionary

from docparser_runtime.outputs.page_space import PageSpace, page_space
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.parser_child.pages import Picture
from docparser_runtime.parser_child.pdf import rebuilt

KNOWN_SHARE = 0.5
"""Share of a passage's letters from which the file is taken to say the passage itself."""
_DEEPEST_TREE = 64


class PagesDiffer(Exception):  # noqa: N818 - the name says it
    """The file is so damaged that its readers do not agree on what pages it has."""


class PdfFile:
    """A PDF that gets text."""

    def __init__(self, content: bytes, password: str | None, page_count: int) -> None:
        """Open a file in which another reader found `page_count` pages.

        Raises:
            PagesDiffer: this one finds others.
            pikepdf.PdfError: this one finds none.
        """
        self.pdf = pikepdf.open(io.BytesIO(content), password=password or "")
        if len(self.pdf.pages) != page_count:
            raise PagesDiffer
        try:
            self._read = pypdfium2.PdfDocument(content, password=password)
        except pypdfium2.PdfiumError:
            self._read = pypdfium2.PdfDocument(rebuilt(content, password))

    def page(self, index: int, picture: Picture) -> tuple[Dictionary, PageSpace]:  # noqa: ARG002
        """Return page `index`."""
        page = self.pdf.pages[index].obj
        names = ("/MediaBox", "/CropBox", "/Rotate")
        media, crop, rotation = (_plain(_inherited(page, name)) for name in names)
        return page, page_space(media, crop, rotation)

    def unsaid(self, index: int, text: PageText, space: PageSpace) -> tuple[Passage, ...]:
        """Return the passages of `text` that the page does not say itself."""
        page = self._read[index]
        said = page.get_textpage()
        width, height = space.size
        x_scale, y_scale = width / text.width, height / text.height
        passages = []
        for passage in text.passages:
            left, top, right, bottom = passage.box
            bounds = space.on_page(
                (left * x_scale, height - bottom * y_scale, right * x_scale, height - top * y_scale)
            )
            known = _letters(said.get_text_bounded(*bounds))
            if known < KNOWN_SHARE * _letters(passage.text):
                passages.append(passage)
        said.close()
        page.close()
        return tuple(passages)


def put_below(pdf: pikepdf.Pdf, page: Dictionary, content: bytes) -> None:
    """Draw `content` before everything else, so that no mistake of the page can move it."""
    before = page.get("/Contents")
    stream = pdf.make_stream(content)
    if isinstance(before, Array):
        page.Contents = Array([stream, *before])
    elif isinstance(before, pikepdf.Stream):
        page.Contents = Array([stream, before])
    else:
        page.Contents = stream


def add_font(page: Dictionary, name: str, font: Dictionary) -> None:
    """Give a page a font, without giving it to others with which it shares its resources."""
    resources = _copied(_inherited(page, "/Resources"))
    fonts = _copied(resources.get("/Font"))
    fonts[name] = font
    resources["/Font"] = fonts
    page["/Resources"] = resources


def _copied(found: object) -> Dictionary:
    entries = dict(found.items()) if isinstance(found, Dictionary) else {}
    return Dictionary(entries)


def _inherited(page: Dictionary, name: str) -> object:
    """Return what a page or the nearest node above it has under `name`; None if nobody has."""
    node: object = page
    for _ in range(_DEEPEST_TREE):
        if not isinstance(node, Dictionary):
            return None
        if name in node:
            return node[name]
        node = node.get("/Parent")
    return None


def _plain(value: object) -> object:
    return [*value] if isinstance(value, Array) else value


def _letters(text: str) -> int:
    return sum(not letter.isspace() for letter in text)
