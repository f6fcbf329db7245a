"""Bodies of requests of the chat interface. Null means the same as absence, as it does there."""

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from docparser_runtime.schemas import Base64, Body

MOST_MESSAGES: Final = 8
_IMAGE: Final = "data:image/"
_BASE64: Final = ";base64"
_LONGEST_PREFIX: Final = 256
_MOST_TOKENS: Final = 2**31 - 1
_PATTERN: Final = "^data:image/[^,]*;base64,"
_ONE_IMAGE: Final = "data:image/png;base64,iVBORw0KGgo="


def _without_prefix(value: object) -> str:
    if not isinstance(value, str) or not value.lower().startswith(_IMAGE):
        raise ValueError(f"must be a data: URL of an image, such as {_IMAGE}png{_BASE64},…")
    prefix, comma, _ = value[:_LONGEST_PREFIX].partition(",")
    if not comma or not prefix.lower().endswith(_BASE64):
        raise ValueError(f"must be a data: URL in base64, such as {_IMAGE}png{_BASE64},…")
    return value[len(prefix) + 1 :]


def _parts(value: object) -> object:
    return [{"type": "text", "text": value}] if isinstance(value, str) else value


Image = Annotated[
    Base64,
    BeforeValidator(_without_prefix),
    WithJsonSchema({"type": "string", "pattern": _PATTERN, "examples": [_ONE_IMAGE]}),
]
Switch = Annotated[bool, Field(strict=True)]
Zero = Annotated[float, Field(strict=True, ge=0, le=0)]
One = Annotated[float, Field(strict=True, ge=1, le=1)]
Tokens = Annotated[int, Field(strict=True, ge=1, le=_MOST_TOKENS)]


class ImageUrl(Body):
    """An image."""

    url: Image
    """The image itself, as `data:image/png;base64,…`. Addresses of the web are not fetched."""
    detail: Literal["auto", "high"] | None = None
    """Pages are always read in full."""


class Part(Body):
    """A piece of a message: a text or an image."""

    type: Literal["text", "image_url"]
    """Which of the two."""
    text: str | None = None
    """The text."""
    image_url: ImageUrl | None = None
    """The image."""

    @model_validator(mode="after")
    def _holds_what_it_says(self) -> "Part":
        if (self.text is None) is (self.type == "text"):
            raise ValueError("a part of type text holds text, and no other does")
        if (self.image_url is None) is (self.type == "image_url"):
            raise ValueError("a part of type image_url holds image_url, and no other does")
        return self


class Message(Body):
    """What a client says."""

    role: Literal["system", "developer", "user"]
    """Who says it. There is no conversation, so the service's own words cannot come back."""
    content: Annotated[
        tuple[Part, ...],
        BeforeValidator(_parts, json_schema_input_type=str | tuple[Part, ...]),
        Field(min_length=1, max_length=MOST_MESSAGES),
    ]
    """One image, in a message of the user. Text beside it is accepted: the page is read as a whole,
    whatever the text asks for."""
    name: str | None = None
    """A name of the speaker; it changes nothing."""


class TextFormat(Body):
    """How the text is shaped."""

    type: Literal["text"]
    """As Markdown."""


class StreamOptions(Body):
    """What a stream tells."""

    include_usage: Switch | None = None
    """Whether its last chunk tells how many tokens there were."""
    include_obfuscation: Literal[False] | None = None
    """Chunks are not padded."""


class ChatRequest(Body):
    """One image whose text is wanted."""

    model: str = Field(min_length=1, max_length=253)
    """The service's model, as `/v1/models` names it."""
    messages: tuple[Message, ...] = Field(min_length=1, max_length=MOST_MESSAGES)
    """Exactly one image, and text if you like."""
    stream: Switch | None = None
    """Whether the text comes in chunks."""
    stream_options: StreamOptions | None = None
    """Only with `stream`."""
    max_tokens: Tokens | None = None
    """Most tokens of the text, which is cut where it would have more; then `finish_reason` is
    `length`. Engines that do not generate count a token for every four bytes of UTF-8; others keep
    the limit on each page of the image."""
    max_completion_tokens: Tokens | None = None
    """The same by its newer name; if both are there, the smaller one holds."""
    temperature: Zero | None = None
    """There is no chance in reading."""
    top_p: One | None = None
    """The same."""
    presence_penalty: Zero | None = None
    """The same."""
    frequency_penalty: Zero | None = None
    """The same."""
    seed: Annotated[int, Field(strict=True)] | None = None
    """The same document is read the same way with any."""
    n: Annotated[int, Field(strict=True, ge=1, le=1)] | None = None
    """There is one answer."""
    logprobs: Literal[False] | None = None
    """Not told."""
    response_format: TextFormat | None = None
    """Text is the only one."""
    user: str | None = Field(None, max_length=256)
    """Changes nothing."""
