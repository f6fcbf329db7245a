"""Requests of the chat interface, as documents to be read."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from docparser_runtime import uploads
from docparser_runtime.body import Body
from docparser_runtime.compat.errors import ChatParameterUnsupported, ChatRefused, ModelNotFound
from docparser_runtime.compat.requests import ChatRequest
from docparser_runtime.errors import EmptyDocument, UnsupportedMediaType
from docparser_runtime.schemas import MOST_NEW_TOKENS, Options
from docparser_runtime.uploads import Upload

_IMAGES: Final = 1
_SETTABLE: Final = frozenset({"model", "messages", "max_tokens", "max_completion_tokens", "stream"})
"""Fields whose values are wrong when they are refused; others would have no effect."""


@dataclass(frozen=True)
class Terms:
    """What requests must fit.

    Attributes:
        names: names of the model.
        generates: whether the engine writes token by token.
    """

    names: Collection[str]
    generates: bool


@dataclass(frozen=True)
class Question:
    """What a client asks for.

    Attributes:
        most_tokens: after how many the text is to be cut; None where the engine sees to it, or
            there is no limit.
        streams: whether the text comes in chunks.
        tells_usage: whether the last chunk tells how many tokens there were.
    """

    upload: Upload[Options]
    most_tokens: int | None
    streams: bool
    tells_usage: bool


async def read(body: Body, terms: Terms) -> Question:
    """Return what `body` asks for.

    Raises:
        DocParserError: it cannot be read, or asks for what there is not.
    """
    kind = body.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != uploads.JSON:
        raise UnsupportedMediaType(f"Send Content-Type {uploads.JSON}.")
    content = await uploads.read_json(body)
    # Between the steps of the decoding, the event loop gets its turn.
    return await asyncio.to_thread(question, content, terms)


def question(content: bytes | bytearray, terms: Terms) -> Question:
    """Return what the JSON `content` asks for.

    Raises:
        DocParserError: it asks for what there is not.
    """
    uploads.check_elements(bytearray(content), _IMAGES)
    try:
        request = ChatRequest.model_validate_json(content)
    except ValidationError as error:
        raise _refused(error) from None
    if request.model not in terms.names:
        raise ModelNotFound(f"The model here is {', '.join(terms.names)}.", "model")
    options = request.stream_options
    if options is not None and not request.stream:
        raise ChatRefused("stream_options: only with stream.", "stream_options")
    most = _most_tokens(request)
    of_engine = min(most, MOST_NEW_TOKENS) if most is not None and terms.generates else None
    return Question(
        Upload((_image(request),), Options(max_new_tokens=of_engine)),
        None if terms.generates else most,
        bool(request.stream),
        bool(options and options.include_usage),
    )


def _image(request: ChatRequest) -> bytes:
    images = [
        part.image_url.url
        for message in request.messages
        for part in message.content
        if part.image_url is not None and message.role == "user"
    ]
    shown = sum(part.type == "image_url" for m in request.messages for part in m.content)
    if len(images) != _IMAGES or shown != _IMAGES:
        raise ChatRefused("messages: send exactly one image, in a message of the user.", "messages")
    if not images[0]:
        raise EmptyDocument("The image has no bytes.")
    return images[0]


def _most_tokens(request: ChatRequest) -> int | None:
    """Return the limit that holds under both of its names; None when there is none."""
    named = (request.max_tokens, request.max_completion_tokens)
    return min((limit for limit in named if limit is not None), default=None)


def _refused(error: ValidationError) -> ChatRefused:
    """Return what a client is told about the first fault."""
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    detail = uploads.told_of(fault)
    if fault["type"] == "json_invalid" or not fault["loc"]:
        return ChatRefused(f"{detail}.", "")
    name = detail.partition(":")[0]
    known = str(fault["loc"][0]) in _SETTABLE and fault["type"] != "extra_forbidden"
    return (ChatRefused if known else ChatParameterUnsupported)(f"{detail}.", name)
