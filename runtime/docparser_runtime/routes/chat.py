"""`POST /v1/chat/completions`: one image, asked for as vision-language servers are."""

import time
from contextlib import ExitStack, suppress

from docparser_api.names import PATH_CHAT, PATH_MODELS
from fastapi import APIRouter, Request
from fastapi.responses import Response

from docparser_runtime import sse, streams, uploads
from docparser_runtime.body import Body, announced_bytes
from docparser_runtime.compat import chunks, openapi, questions, texts
from docparser_runtime.compat.bodies import Model, ModelList
from docparser_runtime.compat.chunks import Told
from docparser_runtime.compat.questions import Question, Terms
from docparser_runtime.compat.texts import Head
from docparser_runtime.compat.tokens import Saying
from docparser_runtime.context import Context, InContext
from docparser_runtime.disconnect import unless_gone
from docparser_runtime.errors import DocParserError, RequestTimeout
from docparser_runtime.parsing import Asked
from docparser_runtime.schemas import ParseResponse
from docparser_runtime.security.callers import Caller, InCaller
from docparser_runtime.task_schemas import TaskBody

router = APIRouter(tags=["chat"])


@router.post(PATH_CHAT, **openapi.CHAT)
async def complete(request: Request, context: InContext, caller: InCaller) -> Response:
    """Read one image, as a chat about it whose answer is its text."""
    uploads.refuse_query(request.query_params)
    await context.parsing.check(caller.tenant, announced_bytes(request))
    with ExitStack() as stack:
        lease = stack.enter_context(context.budget.lease())
        body = Body(request, context.config.max_body_bytes, lease)
        question = await questions.read(
            body, Terms(_names(context), context.engine.traits.generates)
        )
        asked = Asked(question.upload, caller.tenant, request.state.request_id)
        if question.streams:
            opened = await unless_gone(request, chunks.once_opened(context.parsing.stream(asked)))
            # The image takes its memory until the stream ends.
            return _streamed(
                request, context, streams.counted(request, opened, stack.pop_all()), question
            )
        answer = await unless_gone(request, context.parsing.answer(asked))
    found = await _read(answer, context, caller)
    request.state.pages = len(found.pages)
    saying = Saying(question.most_tokens)
    completion = texts.completion(found, _head(request, context), saying)
    return Response(completion.model_dump_json(), media_type=uploads.JSON)


@router.get(PATH_MODELS, **openapi.MODELS)
async def models(request: Request, context: InContext) -> ModelList:
    """Return the names of the model; there is one."""
    uploads.refuse_query(request.query_params)
    return ModelList(data=tuple(Model(id=name) for name in _names(context)))


def _streamed(request: Request, context: Context, events: Told, question: Question) -> Response:
    head, saying = _head(request, context), Saying(question.most_tokens)
    told = chunks.of_document(events, head, context.log, saying, tells_usage=question.tells_usage)
    return sse.sent(told)


async def _read(
    answer: ParseResponse | TaskBody, context: Context, caller: Caller
) -> ParseResponse:
    """Return what was read in time. Nobody would ever ask for the task that goes on instead."""
    if isinstance(answer, ParseResponse):
        return answer
    with suppress(DocParserError):
        await context.tasks.opened().desk.cancel(answer.id, caller.tenant)
    raise RequestTimeout("Reading the image took too long; send it as a task.")


def _head(request: Request, context: Context) -> Head:
    return Head(request.state.request_id, int(time.time()), context.model_name)


def _names(context: Context) -> tuple[str, ...]:
    """Return what the model is called: its name, and that of the engine."""
    return tuple(dict.fromkeys((context.model_name, context.model.engine)))
