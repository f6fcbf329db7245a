"""`POST /v1/document/parse`."""

from contextlib import ExitStack
from http import HTTPStatus
from typing import Annotated

from docparser_api.names import PATH_PARSE, PATH_TASKS
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from docparser_runtime import accept, answers, apidoc, searchable, sse, streams, uploads, writing
from docparser_runtime.body import Body, Lease, announced_bytes
from docparser_runtime.context import Context, InContext
from docparser_runtime.disconnect import unless_gone
from docparser_runtime.parsing import Asked
from docparser_runtime.pdf_answers import pdf_answer
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.security.callers import InCaller
from docparser_runtime.task_schemas import TaskBody
from docparser_runtime.uploads import Upload

router = APIRouter(tags=["documents"])
_STREAM = "stream"

Stream = Annotated[
    bool, Query(description="Whether to answer with server-sent events, page by page.")
]


@router.post(PATH_PARSE, openapi_extra=apidoc.PARSE_BODY, responses=apidoc.PARSE_ANSWERS)
async def parse(
    request: Request,
    context: InContext,
    caller: InCaller,
    stream: Stream = False,  # noqa: FBT002 (a query parameter)
) -> Response:
    """Read a document. The answer is JSON, or the text or a PDF alone, as Accept prefers."""
    media_type = _form(request, stream=stream)
    await context.parsing.check(caller.tenant, announced_bytes(request))
    with ExitStack() as stack:
        lease = stack.enter_context(context.budget.lease())
        upload = await _upload(request, context, lease, media_type)
        asked = Asked(upload, caller.tenant, request.state.request_id)
        if stream:
            # The document takes its memory until the stream ends.
            told = streams.counted(request, context.parsing.stream(asked), stack.pop_all())
            return sse.respond(told, asked.request_id, context.log)
        answer = await unless_gone(request, context.parsing.answer(asked))
        if isinstance(answer, TaskBody):
            return await _accepted(answer, context)
        request.state.pages = len(answer.pages)
        return await _written(request, context, upload, answer, media_type)


async def _upload(
    request: Request, context: Context, lease: Lease, media_type: str
) -> Upload[Options]:
    body = Body(request, context.config.max_body_bytes, lease)
    upload = await uploads.read(body, uploads.PARSE, context.config.max_pages)
    fetched = await context.sources.fetched(upload, lease)
    if media_type == searchable.MEDIA_TYPE:
        searchable.check_single(len(fetched.documents))
    return fetched


def _form(request: Request, *, stream: bool) -> str:
    """Return the form of the answer; refuses what no form of it can have."""
    uploads.refuse_query(request.query_params, {_STREAM})
    forms = (sse.MEDIA_TYPE,) if stream else (uploads.JSON, *writing.FORMS, searchable.MEDIA_TYPE)
    return accept.choose(request.headers.get("accept", ""), forms)


async def _accepted(task: TaskBody, context: Context) -> Response:
    """Return the answer to a request that goes on as a task."""
    headers = {"Location": f"{PATH_TASKS}/{task.id}"}
    headers |= await context.tasks.opened().door.until_read()
    return Response(task.model_dump_json(), HTTPStatus.ACCEPTED, headers, uploads.JSON)


async def _written(
    request: Request,
    context: Context,
    upload: Upload[Options],
    body: ParseResponse,
    media_type: str,
) -> Response:
    """Return what was read in the form that was asked for."""
    if media_type == searchable.MEDIA_TYPE:
        making = context.searchable.of_upload(upload, body.pages)
        return await pdf_answer(request, context.budget, making)
    if media_type == uploads.JSON:
        content = body.model_dump_json()
    elif media_type == writing.MARKDOWN:
        content = body.content
    else:
        content = answers.text(body.pages, media_type, upload.options)
    return Response(content, media_type=media_type)
