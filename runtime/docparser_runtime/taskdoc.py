"""What the OpenAPI document says of tasks."""

from typing import Any

from fastapi.responses import StreamingResponse

from docparser_runtime import apidoc
from docparser_runtime.errors import (
    DocParserError,
    Forbidden,
    InvalidRequest,
    NotAcceptable,
    RateLimited,
    Unauthorized,
)
from docparser_runtime.schemas import ParseResponse
from docparser_runtime.task_errors import (
    IdempotencyKeyReused,
    LinkUnavailable,
    Poison,
    QueueUnavailable,
    ResultCorrupt,
    StorageFull,
    StorageUnavailable,
    TaskCancelled,
    TaskEnded,
    TaskExpired,
    TaskNotDone,
    TaskNotFound,
    TaskQueueFull,
    TasksDisabled,
    TenantLimit,
    UploadLost,
)
from docparser_runtime.task_schemas import ResultLink, TaskForm, TaskRequest

_EVERYWHERE = (
    DocParserError,
    Forbidden,
    InvalidRequest,
    QueueUnavailable,
    RateLimited,
    TasksDisabled,
    Unauthorized,
)
_OF_ONE = (*_EVERYWHERE, TaskExpired, TaskNotFound)

LIST: dict[str, Any] = {"responses": apidoc.problems_of(_EVERYWHERE)}
GET: dict[str, Any] = {"responses": apidoc.problems_of(_OF_ONE)}
CANCEL: dict[str, Any] = {"responses": apidoc.problems_of((*_OF_ONE, TaskEnded))}
SUBMIT: dict[str, Any] = {
    "openapi_extra": apidoc.body_of(TaskRequest, TaskForm),
    "responses": apidoc.problems_of(
        (
            *apidoc.PARSE_PROBLEMS,
            *apidoc.ADDRESS_PROBLEMS,
            *_EVERYWHERE,
            IdempotencyKeyReused,
            StorageFull,
            StorageUnavailable,
            TaskQueueFull,
            TenantLimit,
        )
    ),
}
EVENTS: dict[str, Any] = {
    "responses": {
        200: {
            "description": "Server-sent events `status`, `page` and, last, `done` or `error`.",
            "content": {"text/event-stream": apidoc.EVENTS},
        },
        **apidoc.problems_of((*_OF_ONE, NotAcceptable)),
    },
    "response_class": StreamingResponse,
    "response_model": None,
}
RESULT: dict[str, Any] = {
    "responses": {200: apidoc.RESULT_ANSWERS[200] | {"model": ParseResponse | ResultLink}}
    | apidoc.problems_of(
        (
            *apidoc.PARSE_PROBLEMS,
            *_OF_ONE,
            LinkUnavailable,
            Poison,
            ResultCorrupt,
            StorageUnavailable,
            TaskCancelled,
            TaskNotDone,
            UploadLost,
        )
    ),
    "response_model": None,
}
