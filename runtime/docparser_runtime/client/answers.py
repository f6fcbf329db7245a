"""Pure: what the service's answers say.

Fields that this version does not know are passed over, so that a newer service can be asked too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from docparser_runtime.client.errors import ApiError, InvalidAnswerError, kind_of
from docparser_runtime.schemas import Problem
from docparser_runtime.task_schemas import TaskBody

Model = TypeVar("Model", bound=BaseModel)
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Answer:
    """An answer that has come as a whole.

    Attributes:
        headers: names in lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


def body(model: type[Model], content: bytes | str) -> Model:
    """Return what an answer says.

    Raises:
        InvalidAnswerError: it says something else.
    """
    try:
        return model.model_validate_json(content, extra="ignore")
    except ValidationError:
        # The cause would show what the answer holds.
        raise InvalidAnswerError(f"The answer is no {model.__name__}.") from None


def has_ended(task: TaskBody) -> bool:
    """Return whether nothing more will happen to the task."""
    return task.status not in ("queued", "running")


def error(answer: Answer) -> ApiError:
    """Return the error that an answer without success stands for."""
    try:
        problem = body(Problem, answer.body)
    except InvalidAnswerError:
        problem = _foreign(answer)
    return api_error(problem, _retry_after_seconds(answer.headers))


def api_error(problem: Problem, retry_after_seconds: float | None = None) -> ApiError:
    """Return the error that `problem` describes."""
    kind = kind_of(problem.code, problem.status)
    return kind(
        problem.code, problem.status, problem.detail, problem.request_id, retry_after_seconds
    )


def _foreign(answer: Answer) -> Problem:
    """Return a problem for what something between the service and us has answered."""
    return Problem(
        type="about:blank",
        title="Answer of something else",
        status=answer.status,
        code=f"http_{answer.status}",
        detail="This is no answer of the service itself; perhaps of a proxy, or the address is "
        "wrong.",
        request_id=answer.headers.get("x-request-id", ""),
    )


def _retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    # As a moment: the sender's own clock tells how far away it is.
    then, now = _moment(value), _moment(headers.get("date", ""))
    return None if then is None or now is None else max(0.0, (then - now).total_seconds())


def _moment(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except ValueError:
        return None
