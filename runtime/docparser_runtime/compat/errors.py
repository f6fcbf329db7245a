"""Errors in the shape that users of the chat interface expect."""

from http import HTTPStatus
from typing import Final

from docparser_api.names import PATH_CHAT, PATH_MODELS
from starlette.responses import JSONResponse, Response

from docparser_runtime.compat.bodies import ChatError, ChatErrorBody
from docparser_runtime.errors import DocParserError, InvalidRequest

PATHS: Final = frozenset({PATH_CHAT, PATH_MODELS})
"""Paths whose errors have this shape, whoever finds them."""


class ChatRefused(InvalidRequest):
    """The request is none that this interface takes.

    Attributes:
        param: the field that it is about.
    """

    def __init__(self, detail: str, param: str) -> None:
        super().__init__(detail)
        self.param = param


class ChatParameterUnsupported(ChatRefused):
    """A field has a value that means nothing here."""

    code = "unsupported_parameter"


class ModelNotFound(ChatRefused):
    """The service has another model."""

    code = "model_not_found"
    status = HTTPStatus.NOT_FOUND


def body(error: DocParserError) -> ChatError:
    """Return what the client is told about `error`."""
    return ChatError(
        error=ChatErrorBody(
            message=error.detail,
            type=_type(error.status),
            param=error.param if isinstance(error, ChatRefused) else None,
            code=error.code,
        )
    )


def respond(error: DocParserError, _: str) -> Response:
    """Return the answer that tells the client about `error`."""
    return JSONResponse(body(error).model_dump(), error.status, error.headers)


def _type(status: int) -> str:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "rate_limit_error"
    return "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
