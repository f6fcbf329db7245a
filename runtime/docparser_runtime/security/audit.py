"""The audit log: who changed or tried what. Neither tokens nor text of documents are in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, cast

from fastapi import Request

from docparser_runtime.errors import DocParserError
from docparser_runtime.logs import Log
from docparser_runtime.security.callers import caller_of

Action = Literal["submit", "cancel", "link", "admin", "authenticate"]
OK: Final = "ok"
ABANDONED: Final = "abandoned"
FAILED: Final = "internal_error"


@dataclass(frozen=True)
class Audit:
    """Writes the audit log.

    Attributes:
        log: writes what is at least `info`, whatever level other logs have.
    """

    log: Log

    def write(
        self, action: Action, outcome: str, *, tenant: str | None, client: str, task_id: str | None
    ) -> None:
        """Write one line; the request's id is added by the log.

        Args:
            action: what was wanted.
            outcome: `ok` or the code of the error that the client was told.
            tenant: who wanted it; None if that is unknown.
            client: address that the request came from.
            task_id: task that it was about, if any.
        """
        values: dict[str, str | None] = {"action": action, "outcome": outcome, "client": client}
        values |= {"tenant": tenant, "task_id": task_id}
        self.log.info("audit", **{name: value for name, value in values.items() if value})


@dataclass
class Entry:
    """A line that is being made.

    Attributes:
        task_id: set by whoever knows it.
        outcome: what is written unless an error says something else.
    """

    task_id: str | None = None
    outcome: str = OK


@contextmanager
def recorded(request: Request, action: Action, task_id: str | None = None) -> Iterator[Entry]:
    """Return a context whose end, good or bad, is one line of the audit log.

    For routes: `with audit.recorded(request, "submit") as entry: entry.task_id = …`.
    """
    entry = Entry(task_id)
    try:
        yield entry
    except DocParserError as error:
        entry.outcome = error.code
        raise
    except Exception:
        entry.outcome = FAILED
        raise
    except BaseException:
        entry.outcome = ABANDONED
        raise
    finally:
        cast("Audit", request.state.audit).write(
            action,
            entry.outcome,
            tenant=caller_of(request).tenant,
            client=request.state.client,
            task_id=entry.task_id,
        )
