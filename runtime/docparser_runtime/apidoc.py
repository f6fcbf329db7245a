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


def problems_of(kinds: Iterable[type[errors.DocParserError]]) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of error answers, by status."""
    by_status: dict[int | str, list[type[errors.DocParserError]]] = {}
    for kind in dict.fromkeys(kinds):
        by_status.setdefault(int(kind.status), []).append(kind)
    return {status: _problem(same) for status, same in sorted(by_status.items())}


def _problem(kinds: list[type[errors.DocParserError]]) -> dict[str, Any]:
    content = {
        "schema": {"$ref": "#/components/schemas/Problem"},
        "examples": {kind.code: {"value": _example(kind)} for kind in kinds},
    }
    description = "\n\n".join(f"`{kind.code}`: {kind.__doc__}" for kind in kinds)
    return {"description": description, "content": {problems.MEDIA_TYPE: content}}


def _example(kind: type[errors.DocParserError]) -> dict[str, Any]:
    detail = (kind.__doc__ or "").partition("\n")[0]
    return problems.body(kind(detail), "7f0c2d0c6c0b4f4f9d3c1c8a5f0b9e11").model_dump()


def _of_parsing() -> Iterator[type[errors.DocParserError]]:
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
        "task, whose address stands in the header Location.",
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
