"""Turns a request body, in whatever form it comes, into documents and options."""

import asyncio
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from docparser_runtime import forms
from docparser_runtime.body import Body
from docparser_runtime.errors import EmptyDocument, InvalidRequest, UnsupportedMediaType
from docparser_runtime.schemas import LONGEST_PASSWORD, Options, ParseRequest

JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
RAW: Final = (
    "application/octet-stream",
    "application/pdf",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/heif",
    "image/jp2",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/webp",
)
MOST_JSON_BYTES: Final = 32 * 1024 * 1024
"""Largest JSON body, even where other bodies may be larger: it is decoded in a few steps that
nothing can interrupt, and longer ones would hold up all other requests and the probes."""
LARGER_DOCUMENTS: Final = f"Send larger documents as {FORM}, or raw as the body itself."
_SOURCES: Final = ("image_base64", "pages", "url")
_MOST_FAULTS: Final = 8
_SPARE_ELEMENTS: Final = 2 * LONGEST_PASSWORD
_SHOWN_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


Asked = TypeVar("Asked", bound=Options)


@dataclass(frozen=True)
class Upload(Generic[Asked]):
    """What a client wants to have read.

    Attributes:
        documents: one document, or one image per page, in order; none where `url` is set.
        options: what else the client asked for.
        url: where the document is to be fetched from.
    """

    documents: tuple[bytes, ...]
    options: Asked
    url: str | None = None


@dataclass(frozen=True)
class Form(Generic[Asked]):
    """What a request may hold.

    Attributes:
        request: the whole as JSON.
        options: what a client may ask for beside the document.
    """

    request: type[ParseRequest]
    options: type[Asked]


PARSE: Final = Form(ParseRequest, Options)


async def read(body: Body, form: Form[Asked], max_pages: int) -> Upload[Asked]:
    """Return what `body` holds; its form follows from Content-Type, that of the document does not.

    Raises:
        DocParserError: one of the typed errors of requests.
    """
    content_type = body.request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == JSON:
        content = await read_json(body)
        # Between the steps of the decoding, the event loop gets its turn.
        upload = await asyncio.to_thread(_from_json, content, form, max_pages)
    elif kind == FORM:
        upload = _from_form(await forms.read(body, content_type), form)
    elif kind in RAW:
        upload = Upload((bytes(await _read_bytes(body)),), form.options())
    else:
        raise UnsupportedMediaType(f"Send Content-Type {JSON}, {FORM} or one of {', '.join(RAW)}.")
    if upload.url is None and not (upload.documents and all(upload.documents)):
        raise EmptyDocument("There is no document, or one of zero bytes.")
    return upload


async def read_json(body: Body) -> bytearray:
    """Return the bytes of a JSON body.

    Raises:
        DocParserError: it cannot be read, or is larger than JSON may be.
    """
    return await _read_bytes(_for_json(body))


def refuse_query(names: Iterable[str], known: Collection[str] = ()) -> None:
    """Refuse query parameters but those of `known`: a misplaced option must not be ignored."""
    unknown = {_name(name) for name in names if name not in known}
    shown = ", ".join(sorted(unknown)[:_MOST_FAULTS])
    if shown:
        raise InvalidRequest(f"Unknown query parameters: {shown}.")


def _for_json(body: Body) -> Body:
    if body.max_bytes <= MOST_JSON_BYTES:
        return body
    return replace(body, max_bytes=MOST_JSON_BYTES, advice=f" as JSON. {LARGER_DOCUMENTS}")


async def _read_bytes(body: Body) -> bytearray:
    content = bytearray()
    await body.read_into(content.extend)
    return content


def _from_json(content: bytearray, form: Form[Asked], max_pages: int) -> Upload[Asked]:
    if not content.strip():
        raise EmptyDocument("The body is empty.")
    check_elements(content, max_pages)
    try:
        request = form.request.model_validate_json(content)
    except ValidationError as error:
        raise _invalid(error) from None
    given = [name for name in _SOURCES if getattr(request, name) is not None]
    if len(given) > 1:
        raise InvalidRequest(f"Set one of {', '.join(_SOURCES)}, not {' and '.join(given)}.")
    documents = () if request.url else request.pages or (request.image_base64 or b"",)
    asked = {name: getattr(request, name) for name in form.options.model_fields}
    return Upload(documents, form.options.model_validate(asked), request.url)


def check_elements(content: bytearray, max_pages: int) -> None:
    """Refuse JSON whose mere structure would take much more memory and time than its bytes.

    Base64 holds none of these characters. A password may, so there is room for a long one.
    """
    if content.count(b",") > max_pages + _SPARE_ELEMENTS or (
        content.count(b"[") + content.count(b"{") > _SPARE_ELEMENTS
    ):
        raise InvalidRequest("The JSON has more elements than any request needs.")


def _from_form(content: forms.Form, form: Form[Asked]) -> Upload[Asked]:
    values: dict[str, object] = dict(content.fields)
    digits = content.fields.get("max_new_tokens", "")
    if digits.isascii() and digits.isdecimal() and len(digits) <= len("32768"):
        values["max_new_tokens"] = int(digits)
    try:
        return Upload((content.document,), form.options.model_validate(values, strict=True))
    except ValidationError as error:
        raise _invalid(error) from None


def _invalid(error: ValidationError) -> InvalidRequest:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return InvalidRequest("; ".join(told_of(fault) for fault in faults[:_MOST_FAULTS]) + ".")


def told_of(fault: ErrorDetails) -> str:
    """Return what a client is told of a fault: where and what, nothing of what it sent."""
    path = ".".join(_name(str(step)) for step in fault["loc"])
    message = fault["msg"].removeprefix("Value error, ")
    return f"{path}: {message}" if path else message


def _name(name: str) -> str:
    """Return a client's name for a field, unless it could be more than a name."""
    return name if _SHOWN_NAME.fullmatch(name) else "(a name of other characters)"
