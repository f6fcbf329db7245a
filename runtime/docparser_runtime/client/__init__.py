"""A client of the service, for programs in Python. It loads no engine and no server.

`Client` waits, `AsyncClient` is awaited; both return the bodies of `schemas` and `task_schemas`.
"""

from docparser_runtime.client.asynchronous import AsyncClient
from docparser_runtime.client.connection import Settings
from docparser_runtime.client.errors import (
    ApiError,
    BusyError,
    ClientError,
    InvalidAnswerError,
    TaskGoneError,
    TasksDisabledError,
    TimedOutError,
    UnauthorizedError,
    UnreachableError,
)
from docparser_runtime.client.events import (
    Event,
    Finished,
    PageRead,
    StatusChanged,
    TextWritten,
)
from docparser_runtime.client.retrying import Retrying
from docparser_runtime.client.synchronous import Client
from docparser_runtime.result_forms import Form
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.task_schemas import ResultLink, TaskOptions
from docparser_runtime.task_schemas import TaskBody as Task

__all__ = [
    "ApiError",
    "AsyncClient",
    "BusyError",
    "Client",
    "ClientError",
    "Event",
    "Finished",
    "Form",
    "InvalidAnswerError",
    "Options",
    "PageRead",
    "ParseResponse",
    "ResultLink",
    "Retrying",
    "Settings",
    "StatusChanged",
    "Task",
    "TaskGoneError",
    "TaskOptions",
    "TasksDisabledError",
    "TextWritten",
    "TimedOutError",
    "UnauthorizedError",
    "UnreachableError",
]
