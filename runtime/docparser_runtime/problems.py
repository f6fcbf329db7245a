"""Errors as `application/problem+json`."""

from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from docparser_runtime.errors import DocParserError, InvalidRequest, MethodNotAllowed, NotFound
from docparser_runtime.schemas import Problem

MEDIA_TYPE = "application/problem+json"


def body(error: DocParserError, request_id: str) -> Problem:
    """Return what the client is told about `error`."""
    return Problem(
        type=f"urn:docparser:problem:{error.code}",
        title=error.code.replace("_", " ").capitalize(),
        status=error.status,
        code=error.code,
        detail=error.detail,
        request_id=request_id,
    )


def respond(error: DocParserError, request_id: str) -> Response:
    """Return the answer that tells the client about `error`."""
    return Response(
        body(error, request_id).model_dump_json(),
        status_code=error.status,
        headers=error.headers,
        media_type=MEDIA_TYPE,
    )


def unexpected() -> DocParserError:
    """Return what a client is told about a fault of ours."""
    return DocParserError("The service failed on this request; its log knows more.")


def register(app: FastAPI) -> None:
    """Answer the framework's own errors and ours alike."""
    app.add_exception_handler(HTTPException, _raise_ours)
    app.add_exception_handler(RequestValidationError, _raise_invalid)


async def _raise_ours(_: Request, error: Exception) -> Response:
    """Translate the router's errors; the boundary answers them like any other."""
    if not isinstance(error, HTTPException):
        raise error
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.NOT_FOUND:
        raise NotFound("Nothing lives at this path.") from None
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        raise MethodNotAllowed(
            f"This path answers to {headers.get('Allow', 'other methods')} only.", headers=headers
        ) from None
    raise InvalidRequest("The request is malformed.") from None


async def _raise_invalid(_: Request, error: Exception) -> Response:
    """Translate what the framework finds wrong with parameters."""
    if not isinstance(error, RequestValidationError):
        raise error
    faults = "; ".join(f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors())
    raise InvalidRequest(f"{faults}.") from None
