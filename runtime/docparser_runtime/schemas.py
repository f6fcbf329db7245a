"""Bodies of requests and answers. A field is honoured or refused, never ignored."""

import binascii
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from docparser_runtime import page_ranges
from docparser_runtime.engine.base import BlockKind
from docparser_runtime.engine.tiers import Tier

AUTO = "auto"
MOST_NEW_TOKENS = 32_768
LONGEST_PASSWORD = 1024
LONGEST_URL = 2048


class Body(BaseModel):
    """A JSON object without unknown fields.

    What answers did not have from the start has a default, so that clients can read those of older
    services. Ours have it always: the OpenAPI document calls it required.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


def _decode(value: object) -> bytes:
    if not isinstance(value, str):
        raise ValueError("must be a string of base64")  # noqa: TRY004 (pydantic asks for it)
    if not value.isascii():
        raise ValueError("must be base64")
    try:
        # Tools such as `base64` break the text into lines. Where there are none, nothing is copied.
        text = value.replace("\n", "").replace("\r", "")
        return binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        raise ValueError("must be base64 (standard alphabet, no data: prefix)") from None


Base64 = Annotated[
    bytes,
    PlainValidator(_decode),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]


class Options(Body):
    """What a request may ask for, in whatever form the document comes."""

    max_new_tokens: int | None = Field(None, ge=1, le=MOST_NEW_TOKENS)
    """Most tokens that the engine writes per page. Engines that do not generate refuse it."""
    tier: Literal["low", "medium", "high", "auto"] = "auto"
    """How closely the engine looks at the pages; a higher tier takes longer. `auto` leaves it to
    the engine. Others are refused by engines that do not have them."""
    password: str | None = Field(None, min_length=1, max_length=LONGEST_PASSWORD)
    """Password of an encrypted document."""
    page_range: str | None = Field(None, min_length=1, max_length=page_ranges.LONGEST)
    """Pages that are read, from 1, such as `1-3,7,10-`; all if absent."""
    headers_footers: Literal["keep", "drop"] = "keep"
    """What becomes of running headers, footers and page numbers in `content`."""
    tables: Literal["markdown", "html"] = "markdown"
    """How tables are written in `content`."""


class ParseRequest(Options):
    """One document as JSON: set exactly one of `image_base64`, `pages` and `url`."""

    model_config = ConfigDict(
        strict=True,
        json_schema_extra={
            "oneOf": [{"required": [name]} for name in ("image_base64", "pages", "url")],
        },
    )

    image_base64: Base64 | None = None
    """The document (PDF, PNG, JPEG, WebP, BMP, TIFF, GIF, JPEG 2000, HEIC or AVIF)."""
    pages: tuple[Base64, ...] | None = Field(None, min_length=1)
    """Its pages, one image each, in reading order."""
    url: str | None = Field(None, min_length=1, max_length=LONGEST_URL)
    """Its address, where the configuration allows such sources."""


class ParseForm(Options):
    """One document as a form."""

    file: bytes = Field(json_schema_extra={"format": "binary"})
    """The document (PDF, PNG, JPEG, WebP, BMP, TIFF, GIF, JPEG 2000, HEIC or AVIF)."""


class BlockBody(Body):
    """A piece of a page, in reading order."""

    kind: BlockKind
    """What it is."""
    text: str
    """Plain text."""
    markdown: str
    """The same as Markdown."""
    box: tuple[float, float, float, float]
    """Left, top, right and bottom in pixels of the page image, origin at the top left."""
    confidence: float | None
    """Mean confidence of its text, 0 to 1; null when the engine has none."""
    level: int | None
    """Heading level, 1 to 6, for titles and headings."""


class PageBody(Body):
    """What stands on one page."""

    index: int
    """Position in the document, from 0."""
    width: int
    """Width of the page image, in pixels."""
    height: int
    """Height of the page image, in pixels."""
    markdown: str
    """The page as Markdown."""
    text: str
    """The page as plain text."""
    blocks: tuple[BlockBody, ...]
    """The page in pieces."""
    vision_tokens: int
    """Tokens that the page image took; 0 for engines without."""
    generated_tokens: int = 0
    """Tokens that the engine wrote; 0 for engines that do not generate."""
    tier: Tier | None = None
    """How closely the engine looked at the page; null for engines without tiers."""
    lowered: bool = False
    """Whether it would have looked more closely, were the service not under pressure."""
    truncated: bool = False
    """Whether the engine stopped before the end of the page, such as at its longest output. What
    stands here is the beginning."""
    repetition: bool = False
    """Whether the engine began to repeat itself without end and was stopped. What stands here may
    lack the rest of the page."""
    rotation_degrees: float = 0.0
    """How far the engine turned the page to read it, clockwise; its boxes are those of the page as
    it came."""
    seconds: float
    """Time that the engine took."""


class DeltaBody(Body):
    """Text of a page as it is written. What stands on the page is told once it has been read."""

    index: int
    """Position of the page in the document, from 0."""
    text: str
    """Markdown that goes on where the last piece of the page ended."""
    restart: bool = False
    """Whether what was told of the page before is void: the engine has begun it anew."""


class Timings(Body):
    """Where the time went, in seconds."""

    queue: float
    """Wait for a place."""
    parse: float
    """Opening, drawing and reading."""


class SummaryBody(Body):
    """What there is to say of a document as a whole."""

    request_id: str
    """The request's id, as in the header X-Request-ID; of a task its own."""
    model: str
    """What read it."""
    vision_tokens: int
    """Sum over the pages."""
    generated_tokens: int = 0
    """Sum over the pages."""
    repaired: bool = False
    """Whether the document was damaged and had to be mended."""
    truncated: bool = False
    """Whether a page is `truncated`."""
    lowered: bool = False
    """Whether a page is `lowered`."""
    repetition: bool = False
    """Whether a page is a `repetition`."""
    timings: Timings
    """Where the time went."""


class ParseResponse(SummaryBody):
    """A document that was read."""

    content: str
    """The whole document as Markdown; what a page break parted is joined."""
    pages: tuple[PageBody, ...]
    """Its pages in order."""


class Problem(BaseModel):
    """An error, as RFC 9457 describes it."""

    type: str
    """URN of the kind of error."""
    title: str
    """Short name of the kind."""
    status: int
    """HTTP status."""
    code: str
    """Stable name of the kind, for programs."""
    detail: str
    """What is wrong and what to do, for people."""
    request_id: str
    """The request's id, to find it in the logs."""


class Status(Body):
    """Answer of a probe."""

    status: Literal["ok", "unavailable"]
    """Whether the answer is yes."""
    reason: str
    """Why."""
