"""What the OpenAPI document says of the chat interface."""

from typing import Any, Final

from docparser_runtime import errors
from docparser_runtime.apidoc import (
    PARSE_PROBLEMS,
    QUEUE_PROBLEMS,
    Kind,
    by_status,
    description_of,
    detail_of,
)
from docparser_runtime.compat.bodies import ChatCompletion, ChatError, ModelList
from docparser_runtime.compat.errors import (
    ChatParameterUnsupported,
    ChatRefused,
    ModelNotFound,
    body,
)
from docparser_runtime.compat.requests import ChatRequest
from docparser_runtime.uploads import JSON, MOST_JSON_BYTES


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema with its definitions put where they are referred to."""
    definitions = schema.get("$defs", {})

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            return [replaced(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            rest = {name: one for name, one in value.items() if name != "$ref"}
            return replaced(definitions[value["$ref"].rpartition("/")[2]]) | rest
        return {name: replaced(one) for name, one in value.items() if name != "$defs"}

    found: dict[str, Any] = replaced(schema)
    return found


def _errors(*kinds: Kind) -> dict[int | str, dict[str, Any]]:
    return {
        status: {
            "model": ChatError,
            "description": description_of(same),
            "content": {JSON: {"examples": {k.code: {"value": _example(k)} for k in same}}},
        }
        for status, same in by_status(kinds).items()
    }


def _example(kind: Kind) -> dict[str, Any]:
    detail = detail_of(kind)
    error = kind(detail, "max_tokens") if issubclass(kind, ChatRefused) else kind(detail)
    return body(error).model_dump()


_NEVER: Final = (errors.NotAcceptable,)
_PROBLEMS: Final = tuple(kind for kind in PARSE_PROBLEMS if kind not in _NEVER)

CHAT: Final[dict[str, Any]] = {
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "description": f"One image; at most {MOST_JSON_BYTES} bytes.",
            "content": {JSON: {"schema": inlined(ChatRequest.model_json_schema())}},
        }
    },
    "responses": {
        200: {
            "model": ChatCompletion,
            "description": "The text of the image. With `stream`, its chunks as server-sent "
            "events, of which the last one is `[DONE]`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **_errors(*_PROBLEMS, *QUEUE_PROBLEMS, ChatParameterUnsupported, ModelNotFound),
    },
    "response_model": None,
}
MODELS: Final[dict[str, Any]] = {
    "response_model": ModelList,
    "responses": _errors(
        errors.InvalidRequest,
        errors.Unauthorized,
        errors.Forbidden,
        errors.RateLimited,
        errors.DocParserError,
    ),
}
