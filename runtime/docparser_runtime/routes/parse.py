"""`POST /v1/document/parse`."""

from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from typing import Annotated

from docparser_api.names import PATH_PARSE
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sse_starlette.event import ServerSentEvent

from docparser_runtime import accept, answers, apidoc, sse, streams, uploads
from docparser_runtime.body import Body, Lease
from docparser_runtime.context import Context, InContext
from docparser_runtime.disconnect import unless_gone
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.uploads import Upload

router = APIRouter(tags=["documents"])
MARKDOWN = "text/markdown"
_STREAM = "stream"

Stream = Annotated[
    bool, Query(description="Whether to answer with server-sent events, page by page.")
]


@router.post(PATH_PARSE, openapi_extra=apidoc.PARSE_BODY, responses=apidoc.PARSE_ANSWERS)
async def parse(request: Request, context: InContext, stream: Stream = False) -> Response:  # noqa: FBT002 (a query parameter)
    """Read a document. The answer is JSON, or Markdown alone where Accept prefers it."""
    media_type = _check_before_body(request, context, stream=stream)
    with ExitStack() as stack:
        lease = stack.enter_context(context.budget.lease())
        upload = await _upload(request, context, lease)
        if stream:
            # The document takes its memory until the stream ends.
            events = _events(request, context, upload, stack.pop_all())
            return sse.respond(events, request.state.request_id, context.log)
        reading = await unless_gone(request, context.service.parse(upload))
    request.state.pages = len(reading.pages)
    answer = answers.response(
        reading, request_id=request.state.request_id, model=context.model_name
    )
    return _render(answer, media_type)


async def _upload(request: Request, context: Context, lease: Lease) -> Upload[Options]:
    body = Body(request, context.config.max_body_bytes, lease)
    return await uploads.read(body, uploads.PARSE, context.config.max_pages)


async def _events(
    request: Request, context: Context, upload: Upload[Options], stack: ExitStack
) -> AsyncGenerator[ServerSentEvent, None]:
    with stack:
        happening = streams.of_document(
            context.service.events(upload),
            ahead=context.gate.waiting,
            request_id=request.state.request_id,
            model=context.model_name,
        )
        async with aclosing(happening):
            async for event in happening:
                request.state.pages = getattr(request.state, "pages", 0) + (event.event == sse.PAGE)
                yield event


def _check_before_body(request: Request, context: Context, *, stream: bool) -> str:
    """Refuse what can be refused before the body is read; return the answer's form."""
    context.lifecycle.check_loaded()
    uploads.refuse_query(request.query_params, {_STREAM})
    forms = (sse.MEDIA_TYPE,) if stream else (uploads.JSON, MARKDOWN)
    chosen = accept.choose(request.headers.get("accept", ""), forms)
    context.gate.refuse_if_full()
    return chosen


def _render(body: ParseResponse, media_type: str) -> Response:
    text = body.content if media_type == MARKDOWN else body.model_dump_json()
    return Response(text, media_type=media_type)
