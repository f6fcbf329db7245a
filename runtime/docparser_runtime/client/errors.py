"""What can go wrong for a client. No message holds text of a document, a token or a password."""

from http import HTTPStatus
from typing import Final

TASKS_DISABLED: Final = "tasks_disabled"
_BUSY: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_UNAUTHORIZED: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_GONE: Final = ("task_not_found", "task_expired")


class ClientError(Exception):
    """No answer, or not the one that was asked for."""


class UnreachableError(ClientError):
    """The service cannot be reached, or the connection broke before the end of its answer."""


class TimedOutError(ClientError):
    """The service is there but took longer than the client waits."""


class InvalidAnswerError(ClientError):
    """What answers is no DocParser service."""


class ApiError(ClientError):
    """The service refused or failed.

    Attributes:
        code: stable name of the kind of error, such as `document_corrupt`.
        status: HTTP status.
        detail: what is wrong and what to do, for people.
        request_id: the request's id, to find it in the service's logs.
        retry_after_seconds: pause that the service asks for; None where it names none.
    """

    def __init__(
        self,
        code: str,
        status: int,
        detail: str,
        request_id: str,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.code = code
        self.status = status
        self.detail = detail
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds


class BusyError(ApiError):
    """The service has too much to do, or is not ready (429, 503); later it may answer."""


class UnauthorizedError(ApiError):
    """The token is missing or wrong, or may not do this (401, 403)."""


class TasksDisabledError(ApiError):
    """The service keeps no tasks (404 `tasks_disabled`); `parse` works."""


class TaskGoneError(ApiError):
    """The service does not know the task, or knows it no longer (404, 410)."""


def kind_of(code: str, status: int) -> type[ApiError]:
    """Return the class of an error."""
    if code == TASKS_DISABLED:
        return TasksDisabledError
    if code in _GONE:
        return TaskGoneError
    if status in _BUSY:
        return BusyError
    return UnauthorizedError if status in _UNAUTHORIZED else ApiError
