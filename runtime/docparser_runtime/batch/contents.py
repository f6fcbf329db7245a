"""Pure: what is written of a document, form by form."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from docparser_runtime.client import Form, ParseResponse

ENDINGS: Final[dict[Form, str]] = {
    "json": ".json",
    "markdown": ".md",
    "text": ".txt",
    "html": ".html",
    "pdf": ".pdf",
}
"""What is put behind a document's name, by form."""


@dataclass(frozen=True)
class Answers:
    """How the service is asked for what it reads in one document."""

    whole: Callable[[], Awaitable[ParseResponse]]
    form: Callable[[Form], Awaitable[bytes]]


@dataclass(frozen=True)
class Read:
    """What a document says, in each form that was asked for.

    Attributes:
        pages: how many have been read; None where no answer told.
    """

    contents: dict[Form, bytes] = field(repr=False)
    pages: int | None = None


async def in_forms(forms: Sequence[Form], answers: Answers) -> Read:
    """Return what `answers` give, with as few questions as it takes.

    Raises:
        ClientError: the document cannot be read.
    """
    contents: dict[Form, bytes] = {}
    pages = None
    if "json" in forms or "markdown" in forms:
        whole = await answers.whole()
        pages = len(whole.pages)
        texts = {"json": as_json(whole), "markdown": as_markdown(whole)}
        contents |= {
            form: texts[form].encode(errors="surrogatepass") for form in forms if form in texts
        }
    for form in forms:
        if form not in contents:
            contents[form] = await answers.form(form)
    return Read(contents, pages)


def as_json(answer: ParseResponse) -> str:
    """Return the answer as JSON for people and programs."""
    return answer.model_dump_json(indent=2) + "\n"


def as_markdown(answer: ParseResponse) -> str:
    """Return the text."""
    return answer.content + "\n"
