"""Bodies of requests and answers about tasks."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from docparser_runtime.schemas import LONGEST_URL, Body, Options, ParseForm, ParseRequest


class TaskOptions(Options):
    """What a submission may ask for."""

    priority: Literal["low", "normal", "high"] = "normal"
    """Who comes first among the tasks that wait."""
    callback_url: str | None = Field(None, min_length=1, max_length=LONGEST_URL)
    """Address that is told when the task has ended."""


class TaskRequest(TaskOptions, ParseRequest):
    """One document as JSON: set exactly one of `image_base64`, `pages` and `url`."""


class TaskForm(TaskOptions, ParseForm):
    """One document as a form."""


class TaskError(Body):
    """Why a task failed."""

    code: str
    """Stable name of the kind of error, as in problems."""
    detail: str
    """What is wrong and what to do, for people."""


class ProgressBody(Body):
    """How far a document is."""

    status: Literal["queued", "running", "done", "failed", "cancelled"]
    """Where it stands."""
    pages: int
    """Pages of the document; 0 in a stream that does not know them yet."""
    pages_done: int
    """How many of them have been read."""
    queue_position: int | None
    """Tasks that come before it; null unless it is queued."""


class TaskBody(ProgressBody):
    """A task as it stands."""

    id: str
    """Its name."""
    priority: Literal["low", "normal", "high"]
    """Who comes first."""
    created_at: datetime
    """When it was accepted."""
    started_at: datetime | None
    """When the work on it began."""
    finished_at: datetime | None
    """When it ended."""
    expires_at: datetime | None
    """When task and result are deleted; null before its end."""
    error: TaskError | None
    """Why it failed; null otherwise."""


class ResultLink(Body):
    """Where the result of a task can be downloaded from, without a token."""

    url: str
    """Address at the store. Who has it can read the result until it expires."""
    media_type: str
    """Form of the result."""
    sha256: str
    """Digest of its bytes, as hex."""
    expires_at: datetime
    """When the address is no longer good; ask for another one then."""


class TaskList(Body):
    """Tasks of the caller, newest first."""

    tasks: tuple[TaskBody, ...]
    """One page of them."""
    next: str | None = Field(None)
    """Value of `after` that asks for the next page; null when there is none."""
