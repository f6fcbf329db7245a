"""Pure: jobs of the queue as the API shows them."""

from typing import Literal, assert_never

from docparser_runtime.queue.values import Job, Priority, State
from docparser_runtime.task_schemas import TaskBody, TaskError

Status = Literal["queued", "running", "done", "failed", "cancelled"]
PriorityName = Literal["low", "normal", "high"]


def task_body(job: Job, ahead: int | None) -> TaskBody:
    """Return `job` as an answer; `ahead` is its place in the queue while it waits."""
    failure = job.failure
    return TaskBody(
        id=job.id,
        status=_status(job.state),
        pages=job.pages,
        pages_done=job.pages_done,
        queue_position=ahead,
        priority=_name(job.priority),
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        expires_at=job.expires_at,
        error=TaskError(code=failure.code, detail=failure.detail) if failure else None,
    )


def priority_of(name: PriorityName) -> Priority:
    """Return the priority of this name."""
    return Priority[name.upper()]


def _status(state: State) -> Status:
    match state:
        case State.QUEUED:
            return "queued"
        case State.RUNNING:
            return "running"
        case State.DONE:
            return "done"
        case State.FAILED | State.DEAD:
            return "failed"
        case State.CANCELLED:
            return "cancelled"
    assert_never(state)


def _name(priority: Priority) -> PriorityName:
    match priority:
        case Priority.LOW:
            return "low"
        case Priority.NORMAL:
            return "normal"
        case Priority.HIGH:
            return "high"
    assert_never(priority)
