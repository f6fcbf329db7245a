"""What the OpenAPI document says beyond what FastAPI finds by itself."""

from typing import Any

from docparser_runtime import errors, problems
from docparser_runtime.schemas import ParseForm, ParseRequest, ParseResponse, Problem
from docparser_runtime.uploads import FORM, JSON, LARGER_DOCUMENTS, MOST_JSON_BYTES, RAW

_BINARY = {"schema": {"type": "string", "format": "binary"}}

PARSE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The document. Its kind is found by its content. A body may have as many "
        "bytes as `maxBodyBytes` of the configuration says, as JSON never more than "
        f"{MOST_JSON_BYTES}. {LARGER_DOCUMENTS}",
        "content": {
            JSON: {"schema": ParseRequest.model_json_schema()},
            FORM: {"schema": ParseForm.model_json_schema()},
            **dict.fromkeys(RAW, _BINARY),
        },
    }
}


def _kinds() -> list[type[errors.DocParserError]]:
    elsewhere = (errors.NotFound, errors.MethodNotAllowed)
    kinds = errors.DocParserError.__subclasses__()
    return [errors.DocParserError, *(kind for kind in kinds if kind not in elsewhere)]


def _answers() -> dict[int | str, dict[str, Any]]:
    by_status: dict[int | str, list[str]] = {}
    for kind in _kinds():
        by_status.setdefault(int(kind.status), []).append(f"`{kind.code}`: {kind.__doc__}")
    return {status: _problem("\n\n".join(texts)) for status, texts in sorted(by_status.items())}


def _problem(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {problems.MEDIA_TYPE: {"schema": schema}}}


PARSE_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ParseResponse,
        "description": "What the document says.",
        "content": {"text/markdown": {"schema": {"type": "string"}}},
    },
    **_answers(),
}


def complete(document: dict[str, Any], *, with_token: bool) -> dict[str, Any]:
    """Return `document` with the parts that FastAPI does not know of."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    if with_token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document
