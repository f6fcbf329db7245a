"""Errors as `application/problem+json`."""

from collections.abc import Sequence
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route

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


def register(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Answer the framework's own errors and ours alike. `routes` are all that `app` has."""

    async def raise_ours(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        raise _ours(request, error, routes) from None

    app.add_exception_handler(HTTPException, raise_ours)
    app.add_exception_handler(RequestValidationError, _raise_invalid)


def _ours(request: Request, error: HTTPException, routes: Sequence[BaseRoute]) -> DocParserError:
    """Translate the router's errors; the boundary answers them like any other."""
    if error.status_code == HTTPStatus.NOT_FOUND:
        return NotFound("Nothing lives at this path.")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(sorted(_methods(request, routes)))
        return MethodNotAllowed(f"This path answers to {allowed} only.", headers={"Allow": allowed})
    return InvalidRequest("The request is malformed.")


def _methods(request: Request, routes: Sequence[BaseRoute]) -> set[str]:
    """Return the methods of the path. The framework names those of the first route alone."""
    return {
        method
        for route in routes
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


async def _raise_invalid(_: Request, error: Exception) -> Response:
    """Translate what the framework finds wrong with parameters."""
    if not isinstance(error, RequestValidationError):
        raise error
    faults = "; ".join(f"{fault['loc'][-1]}: {fault['msg']}" for fault in error.errors())
    raise InvalidRequest(f"{faults}.") from None
