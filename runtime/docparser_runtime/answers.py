"""Pure: what was read, as the API's answer."""

from collections.abc import Sequence

from docparser_runtime import writing
from docparser_runtime.drafts import Delta
from docparser_runtime.engine.base import Block
from docparser_runtime.outputs.pages import page_of_body
from docparser_runtime.page_engine import Page
from docparser_runtime.schemas import BlockBody, DeltaBody, Options, PageBody, ParseResponse
from docparser_runtime.service import Reading
from docparser_runtime.summaries import Sums
from docparser_runtime.writing import MARKDOWN


def response(reading: Reading, options: Options, *, request_id: str, model: str) -> ParseResponse:
    """Return `reading` as the body of an answer."""
    pages = tuple(page_body(page) for page in reading.pages)
    sums = Sums(reading.repaired, reading.queue_seconds, reading.parse_seconds)
    for page in pages:
        sums.add(page)
    summary = sums.body(request_id, model)
    return ParseResponse(**dict(summary), content=text(pages, MARKDOWN, options), pages=pages)


def text(pages: Sequence[PageBody], form: str, options: Options) -> str:
    """Return the text of a document in one of the forms of `writing`."""
    return "".join(writing.text(lambda: map(page_of_body, pages), form, options))


def page_body(page: Page) -> PageBody:
    """Return `page` as a part of an answer."""
    blocks = page.result.blocks
    return PageBody(
        index=page.index,
        width=page.width,
        height=page.height,
        markdown=page.result.markdown,
        text="\n\n".join(block.text for block in blocks) if blocks else page.result.markdown,
        blocks=tuple(_block(block) for block in blocks),
        vision_tokens=page.result.vision_tokens,
        generated_tokens=page.result.generation.tokens if page.result.generation else 0,
        tier=page.result.tier,
        lowered=page.result.lowered,
        truncated=page.result.truncated,
        repetition=page.result.repetition,
        rotation_degrees=page.result.rotation_degrees,
        seconds=page.seconds,
    )


def delta_body(delta: Delta) -> DeltaBody:
    """Return `delta` as the data of an event."""
    return DeltaBody(index=delta.index, text=delta.text, restart=delta.restarts)


def _block(block: Block) -> BlockBody:
    box = block.box
    return BlockBody(
        kind=block.kind,
        text=block.text,
        markdown=block.markdown,
        box=(box.left, box.top, box.right, box.bottom),
        confidence=block.confidence,
        level=block.level,
    )
