"""Pure: what is asked one after another. Both clients send what these generators yield, and answer.

Each yields requests, is sent their answers, and returns what they say.
"""

from collections.abc import Callable, Generator
from http import HTTPStatus
from typing import TypeVar

from docparser_runtime.client import answers, calls
from docparser_runtime.client.answers import Answer, Model
from docparser_runtime.client.calls import Call
from docparser_runtime.client.errors import TimedOutError
from docparser_runtime.result_forms import Form
from docparser_runtime.schemas import Options, ParseResponse
from docparser_runtime.task_schemas import TaskBody

Result = TypeVar("Result")
Steps = Generator[Call, Answer, Result]


def one(model: type[Model], call: Call) -> Steps[Model]:
    """Return what the answer to `call` says."""
    answer = yield call
    return answers.body(model, answer.body)


def parse(document: bytes, options: Options) -> Steps[ParseResponse]:
    """Return what a document says."""
    content = yield from parse_as(document, "json", options)
    return answers.body(ParseResponse, content)


def parse_as(document: bytes, form: Form, options: Options) -> Steps[bytes]:
    """Return what a document says in a form; one that became a task is waited for."""
    answer = yield calls.parse(document, options, form)
    if answer.status != HTTPStatus.ACCEPTED:
        return answer.body
    task = answers.body(TaskBody, answer.body)
    while not answers.has_ended(task):
        task = yield from one(TaskBody, calls.task(task, calls.LONGEST_WAIT_SECONDS))
    return (yield from result_as(task, form))


def result_as(task: TaskBody | str, form: Form) -> Steps[bytes]:
    """Return what a task has read in a form."""
    answer = yield calls.result(task, form)
    return answer.body


def wait(
    task: TaskBody | str, timeout_seconds: float | None, clock: Callable[[], float]
) -> Steps[TaskBody]:
    """Return a task once it has ended.

    Raises:
        TimedOutError: it has not after so many seconds.
    """
    end = None if timeout_seconds is None else clock() + timeout_seconds
    while True:
        left = calls.LONGEST_WAIT_SECONDS if end is None else end - clock()
        found = yield from one(TaskBody, calls.task(task, left))
        if answers.has_ended(found):
            return found
        if end is not None and clock() >= end:
            raise TimedOutError("The task has not ended yet.")
