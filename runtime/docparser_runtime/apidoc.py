"""What the OpenAPI document says beyond what FastAPI finds by itself."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from docparser_runtime import errors, examples, problems, searchable, writing
from docparser_runtime.outbound.errors import UrlNotAllowed, UrlUnreachable
from docparser_runtime.schemas import ParseForm, ParseRequest, ParseResponse, Problem
from docparser_runtime.task_errors import (
    Poison,
    QueueUnavailable,
    ResultCorrupt,
    StorageFull,
    StorageUnavailable,
    TaskCancelled,
    TaskQueueFull,
    TenantLimit,
    UploadLost,
)
from docparser_runtime.task_schemas import TaskBody
from docparser_runtime.uploads import FORM, JSON, LARGER_DOCUMENTS, MOST_JSON_BYTES, RAW

Kind = type[errors.DocParserError]

EVENTS: dict[str, Any] = {"schema": {"description": "Server-sent events; see the documentation."}}
_FRAMEWORKS: Final = ("HTTPValidationError", "ValidationError")
_BINARY = {"schema": {"type": "string", "format": "binary"}}


def body_of(as_json: type[ParseRequest], as_form: type[ParseForm]) -> dict[str, Any]:
    """Return the description of a body that holds a document."""
    return {
        "requestBody": {
            "required": True,
            "description": "The document. Its kind is found by its content. A body may have as "
            "many bytes as `maxBodyBytes` of the configuration says, as JSON never more than "
            f"{MOST_JSON_BYTES}. {LARGER_DOCUMENTS}",
            "content": {
                JSON: {"schema": as_json.model_json_schema()},
                FORM: {"schema": as_form.model_json_schema()},
                **dict.fromkeys(RAW, _BINARY),
            },
        }
    }


def problems_of(kinds: Iterable[Kind]) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of error answers, by status."""
    return {status: _problem(same) for status, same in by_status(kinds).items()}


def by_status(kinds: Iterable[Kind]) -> dict[int | str, list[Kind]]:
    """Return the kinds of errors, each once, by the status of their answers."""
    found: dict[int | str, list[Kind]] = {}
    for kind in dict.fromkeys(kinds):
        found.setdefault(int(kind.status), []).append(kind)
    return dict(sorted(found.items()))


def description_of(kinds: Iterable[Kind]) -> str:
    """Return what an answer means that may be any of these errors."""
    return "\n\n".join(f"`{kind.code}`: {kind.__doc__}" for kind in kinds)


def detail_of(kind: Kind) -> str:
    """Return a detail for an example of an error."""
    return (kind.__doc__ or "").partition("\n")[0]


def _problem(kinds: list[Kind]) -> dict[str, Any]:
    content = {
        "schema": {"$ref": "#/components/schemas/Problem"},
        "examples": {kind.code: {"value": _example(kind)} for kind in kinds},
    }
    return {"description": description_of(kinds), "content": {problems.MEDIA_TYPE: content}}


def _example(kind: Kind) -> dict[str, Any]:
    return problems.body(kind(detail_of(kind)), examples.REQUEST_ID).model_dump()


def _of_parsing() -> Iterator[Kind]:
    """Yield the errors that a document can be answered with."""
    elsewhere = (errors.NotFound, errors.MethodNotAllowed)
    yield errors.DocParserError
    for kind in errors.DocParserError.__subclasses__():
        if kind.__module__ == errors.__name__ and kind not in elsewhere:
            yield kind


PARSE_BODY: Final = body_of(ParseRequest, ParseForm)
PARSE_PROBLEMS: Final = tuple(_of_parsing())
ADDRESS_PROBLEMS: Final = (UrlNotAllowed, UrlUnreachable)
QUEUE_PROBLEMS: Final = (
    Poison,
    QueueUnavailable,
    ResultCorrupt,
    StorageFull,
    StorageUnavailable,
    TaskCancelled,
    TaskQueueFull,
    TenantLimit,
    UploadLost,
)
"""Errors of requests that workers read, behind a gateway."""
RESULT_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "model": ParseResponse,
        "description": "What the document says; as PDF, the document itself with that as text "
        "that can be searched and copied. Of a page range all pages stay, and those get text.",
        "content": {
            **{form: {"schema": {"type": "string"}} for form in writing.FORMS},
            searchable.MEDIA_TYPE: _BINARY,
        },
    },
}
PARSE_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        **RESULT_ANSWERS[200],
        "content": {
            **RESULT_ANSWERS[200]["content"],
            "text/event-stream": {
                "schema": {
                    "description": "Server-sent events `status`, `delta` (text of a page as it is "
                    "written, by engines that generate), `page` and, last, `done` or `error`.",
                }
            },
        },
    },
    202: {
        "model": TaskBody,
        "description": "Reading takes longer than `requestTimeoutSeconds`. It goes on as this "
        "task, whose address stands in the header Location; Retry-After tells when all that waits "
        "now will have been read, in seconds.",
    },
    **problems_of((*PARSE_PROBLEMS, *ADDRESS_PROBLEMS, *QUEUE_PROBLEMS)),
}


def complete(document: dict[str, Any], *, with_token: bool) -> dict[str, Any]:
    """Return `document` with the parts that FastAPI does not know of."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    _leave_out_others(document)
    examples.add(document)
    if with_token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _leave_out_others(document: dict[str, Any]) -> None:
    """Leave out the framework's own form of errors: all of ours are problems."""
    for methods in document["paths"].values():
        for operation in methods.values():
            described = operation["responses"]
            if _FRAMEWORKS[0] in str(described.get("422")):
                del described["422"]
    for name in _FRAMEWORKS:
        document["components"]["schemas"].pop(name, None)
