"""What a request may ask of the outputs."""

from enum import StrEnum


class HeadersFooters(StrEnum):
    """What becomes of running headers, footers and page numbers in the document's text.

    They are found by rules, not by a model, and text that is gone is not missed by anybody until
    it is too late: hence they stay unless the request says otherwise. A page's own text always
    holds them.
    """

    KEEP = "keep"
    DROP = "drop"


class Tables(StrEnum):
    """How tables are written within Markdown."""

    MARKDOWN = "markdown"
    HTML = "html"


class Form(StrEnum):
    """How the text of the document is written."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
