"""Writes the text of a document, page by page, in the form that a client asks for."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final, Protocol

from docparser_runtime.outputs import html
from docparser_runtime.outputs.furniture import furniture
from docparser_runtime.outputs.joining import Joiner
from docparser_runtime.outputs.options import Form, HeadersFooters, Tables
from docparser_runtime.outputs.pages import OutputPage
from docparser_runtime.outputs.rendering import Style
from docparser_runtime.schemas import Options

MARKDOWN: Final = "text/markdown"
PLAIN: Final = "text/plain"
HTML: Final = "text/html"
FORMS: Final = (MARKDOWN, PLAIN, HTML)

Furniture = Mapping[int, Collection[int]]
"""Indexes of the blocks that are running headers and the like, by the index of their page."""


class Writer(Protocol):
    """Takes the pages in order."""

    def feed(self, page: OutputPage) -> str:
        """Return the text that can be written once `page` is known."""
        ...

    def finish(self) -> str:
        """Return the rest."""
        ...


def writer(form: str, options: Options, found: Furniture) -> Writer:
    """Return a writer of `form`, one of FORMS; `found` is the furniture of all pages."""
    kept = HeadersFooters(options.headers_footers)
    if form == HTML:
        return _HtmlWriter(found if kept is HeadersFooters.DROP else {})
    style = Style(Form.PLAIN if form == PLAIN else Form.MARKDOWN, Tables(options.tables))
    return _TextWriter(Joiner(style, kept), found)


def text(pages: Callable[[], Iterable[OutputPage]], form: str, options: Options) -> Iterator[str]:
    """Yield the text of a document whose pages can be gone through twice."""
    written = writer(form, options, furniture(pages()))
    for page in pages():
        yield written.feed(page)
    yield written.finish()


class _TextWriter:
    def __init__(self, joiner: Joiner, found: Furniture) -> None:
        self._joiner = joiner
        self._furniture = found

    def feed(self, page: OutputPage) -> str:
        return self._joiner.feed(page, self._furniture.get(page.index, ()))

    def finish(self) -> str:
        return self._joiner.finish()


class _HtmlWriter:
    def __init__(self, dropped: Furniture) -> None:
        self._dropped = dropped
        self._begun = False

    def feed(self, page: OutputPage) -> str:
        section = html.section(page, self._dropped.get(page.index, ())) + "\n"
        return self._head() + section

    def finish(self) -> str:
        return self._head() + html.TAIL

    def _head(self) -> str:
        if self._begun:
            return ""
        self._begun = True
        return html.head("Document")
