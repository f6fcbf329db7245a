"""The forms in which the service gives what it has read."""

from collections.abc import Mapping
from typing import Final, Literal

Form = Literal["json", "markdown", "text", "html", "pdf"]
"""All there is of pages and blocks; the text in three forms; the document with its text in it."""

MEDIA_TYPES: Final[Mapping[Form, str]] = {
    "json": "application/json",
    "markdown": "text/markdown",
    "text": "text/plain",
    "html": "text/html",
    "pdf": "application/pdf",
}
"""What each form is called in HTTP."""
