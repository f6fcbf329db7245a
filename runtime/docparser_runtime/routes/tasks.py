"""`/v1/document/tasks`: documents that are accepted now and read later."""

import re
from http import HTTPStatus
from typing import Annotated, Final

from docparser_api.names import PATH_TASKS
from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse

from docparser_runtime import accept, searchable, sse, taskdoc, uploads, writing
from docparser_runtime.body import Body, announced_bytes
from docparser_runtime.context import InContext
from docparser_runtime.pdf_answers import pdf_answer
from docparser_runtime.security import audit
from docparser_runtime.security.callers import InCaller
from docparser_runtime.task_schemas import TaskBody, TaskList, TaskOptions, TaskRequest
from docparser_runtime.tasks import task_events
from docparser_runtime.tasks.door import Submission
from docparser_runtime.uploads import Form, Upload

router = APIRouter(tags=["tasks"])
PATH_TASK: Final = PATH_TASKS + "/{task_id}"
LONGEST_WAIT_SECONDS: Final = 60
MOST_TASKS: Final = 100
_FORM: Final = Form(TaskRequest, TaskOptions)
_KEY: Final = re.compile(r"^[!-~]{1,255}$")

Key = Annotated[
    str | None,
    Header(pattern=_KEY.pattern, description="Makes it safe to send the request again."),
]
LastEventId = Annotated[str, Header(pattern="^[0-9]{1,9}$")]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT_SECONDS, allow_inf_nan=False)]
Linked = Annotated[
    bool,
    Query(description="Whether to answer with an address at the store that needs no token."),
]
Limit = Annotated[int, Query(ge=1, le=MOST_TASKS)]


@router.post(PATH_TASKS, status_code=HTTPStatus.ACCEPTED, **taskdoc.SUBMIT)
async def submit(
    request: Request, context: InContext, caller: InCaller, idempotency_key: Key = None
) -> TaskBody:
    """Accept a document. It is safe on disk before this is answered."""
    with audit.recorded(request, "submit") as entry, context.budget.lease() as lease:
        place = context.tasks.opened()
        uploads.refuse_query(request.query_params)
        most_bytes = context.config.max_body_bytes
        await place.door.check_room(caller.tenant, min(announced_bytes(request), most_bytes))
        body = Body(request, most_bytes, lease)
        sent = await uploads.read(body, _FORM, context.config.tasks.max_pages)
        upload = await context.sources.fetched(sent, lease)
        job = await place.door.submit(_submission(caller.tenant, upload, idempotency_key))
        entry.task_id, request.state.pages = job.id, job.pages
    return await place.desk.body(job)


@router.get(PATH_TASKS, **taskdoc.LIST)
async def tasks(
    request: Request,
    context: InContext,
    caller: InCaller,
    limit: Limit = 20,
    after: str | None = None,
) -> TaskList:
    """Return the caller's tasks, newest first."""
    uploads.refuse_query(request.query_params, {"limit", "after"})
    return await context.tasks.opened().desk.list(caller.tenant, after, limit)


@router.get(PATH_TASK, **taskdoc.GET)
async def task(
    request: Request, task_id: str, context: InContext, caller: InCaller, wait: Wait = 0
) -> TaskBody:
    """Return a task; with `wait` as soon as it has ended, or after so many seconds."""
    uploads.refuse_query(request.query_params, {"wait"})
    desk = context.tasks.opened().desk
    return await desk.body(await desk.ended(task_id, caller.tenant, wait))


@router.get(PATH_TASK + "/result", **taskdoc.RESULT)
async def result(
    request: Request,
    task_id: str,
    context: InContext,
    caller: InCaller,
    link: Linked = False,  # noqa: FBT002 (a query parameter)
) -> Response:
    """Return what was read, in the form that Accept prefers; or a link to it."""
    uploads.refuse_query(request.query_params, {"link"})
    forms = (uploads.JSON, *writing.FORMS, searchable.MEDIA_TYPE)
    media_type = accept.choose(request.headers.get("accept", ""), forms)
    desk = context.tasks.opened().desk
    job = await desk.job(task_id, caller.tenant)
    if link:
        with audit.recorded(request, "link", task_id):
            found = await desk.link(job, media_type)
        return Response(found.model_dump_json(), media_type=uploads.JSON)
    if media_type == searchable.MEDIA_TYPE:
        return await pdf_answer(request, context.budget, desk.searchable(job, context.searchable))
    return StreamingResponse(await desk.result(job, media_type), media_type=media_type)


@router.get(PATH_TASK + "/events", **taskdoc.EVENTS)
async def events(
    request: Request,
    task_id: str,
    context: InContext,
    caller: InCaller,
    last_event_id: LastEventId = "0",
) -> Response:
    """Tell what happens to a task, from the page after `Last-Event-ID` on, until it has ended."""
    uploads.refuse_query(request.query_params)
    accept.choose(request.headers.get("accept", ""), (sse.MEDIA_TYPE,))
    desk = context.tasks.opened().desk
    await desk.job(task_id, caller.tenant)
    happening = desk.happenings(task_id, caller.tenant, int(last_event_id))
    told = task_events.of_task(happening, lambda: context.lifecycle.draining)
    return sse.respond(told, request.state.request_id, context.log)


@router.delete(PATH_TASK, **taskdoc.CANCEL)
async def cancel(request: Request, task_id: str, context: InContext, caller: InCaller) -> TaskBody:
    """Cancel a task that is queued or running."""
    with audit.recorded(request, "cancel", task_id):
        uploads.refuse_query(request.query_params)
        desk = context.tasks.opened().desk
        return await desk.body(await desk.cancel(task_id, caller.tenant))


def _submission(tenant: str, upload: Upload[TaskOptions], key: str | None) -> Submission:
    return Submission(tenant, upload.documents, upload.options, key)
