"""`POST /v1/document/parse`."""

from docparser_api.names import PATH_PARSE
from fastapi import APIRouter, Request
from fastapi.responses import Response

from docparser_runtime import accept, answers, apidoc, uploads
from docparser_runtime.body import Body
from docparser_runtime.context import Context, InContext
from docparser_runtime.disconnect import unless_gone
from docparser_runtime.schemas import ParseResponse

router = APIRouter(tags=["documents"])
MARKDOWN = "text/markdown"


@router.post(PATH_PARSE, openapi_extra=apidoc.PARSE_BODY, responses=apidoc.PARSE_ANSWERS)
async def parse(request: Request, context: InContext) -> Response:
    """Read a document. The answer is JSON, or Markdown alone where Accept prefers it."""
    media_type = _check_before_body(request, context)
    with context.budget.lease() as lease:
        body = Body(request, context.config.max_body_bytes, lease)
        upload = await uploads.read(body, context.config.max_pages)
        reading = await unless_gone(request, context.service.parse(upload))
    request.state.pages = len(reading.pages)
    answer = answers.response(
        reading, request_id=request.state.request_id, model=context.model_name
    )
    return _render(answer, media_type)


def _check_before_body(request: Request, context: Context) -> str:
    """Refuse what can be refused before the body is read; return the answer's form."""
    context.lifecycle.check_loaded()
    uploads.refuse_query(request.query_params)
    chosen = accept.choose(request.headers.get("accept", ""), (uploads.JSON, MARKDOWN))
    context.gate.refuse_if_full()
    return chosen


def _render(body: ParseResponse, media_type: str) -> Response:
    text = body.content if media_type == MARKDOWN else body.model_dump_json()
    return Response(text, media_type=media_type)
