"""Pure: the requests of the API, as values that any HTTP client can send."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from docparser_api.names import PATH_PARSE, PATH_TASKS

from docparser_runtime.result_forms import MEDIA_TYPES, Form
from docparser_runtime.schemas import Options
from docparser_runtime.task_schemas import TaskBody, TaskOptions

MOST_TASKS: Final = 100
"""Most tasks that the service lists at once."""
LONGEST_WAIT_SECONDS: Final = 60.0
"""Longest time that the service lets a question for the end of a task wait."""
_EVENTS: Final = "text/event-stream"
_JSON: Final = "application/json"
_TASK_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_FILE_NAME: Final = "document"


@dataclass(frozen=True)
class Call:
    """One request.

    Attributes:
        fields: fields of the form, beside the document.
        document: content of the form's file; None for a request without a body.
        wait_seconds: time that the service may take on purpose.
    """

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict, repr=False)
    document: bytes | None = field(default=None, repr=False)
    wait_seconds: float = 0.0

    @property
    def files(self) -> dict[str, tuple[str, bytes]] | None:
        """The form's file, as httpx takes it."""
        # A name of ours: that of the user's file is nobody's business.
        return None if self.document is None else {"file": (_FILE_NAME, self.document)}


def parse(document: bytes, options: Options, form: Form) -> Call:
    """Return the request that reads a document while its sender waits."""
    headers = _accept(MEDIA_TYPES[form])
    return Call("POST", PATH_PARSE, headers=headers, fields=_fields(options), document=document)


def stream(document: bytes, options: Options) -> Call:
    """Return the request that reads a document and tells of each page."""
    return Call(
        "POST",
        PATH_PARSE,
        params={"stream": "true"},
        headers=_accept(_EVENTS),
        fields=_fields(options),
        document=document,
    )


def submit(document: bytes, options: TaskOptions, idempotency_key: str) -> Call:
    """Return the request that makes a task, and only one however often it is sent."""
    return Call(
        "POST",
        PATH_TASKS,
        headers=_accept(_JSON) | {"Idempotency-Key": idempotency_key},
        fields=_fields(options),
        document=document,
    )


def task(of: TaskBody | str, wait_seconds: float) -> Call:
    """Return the request for a task, answered at its end or after so many seconds."""
    wait = min(max(wait_seconds, 0.0), LONGEST_WAIT_SECONDS)
    return Call("GET", _of(of), {"wait": f"{wait:.3f}"}, _accept(_JSON), wait_seconds=wait)


def tasks(after: str | None) -> Call:
    """Return the request for a page of the caller's tasks."""
    params = {"limit": str(MOST_TASKS)} | ({} if after is None else {"after": after})
    return Call("GET", PATH_TASKS, params, _accept(_JSON))


def result(of: TaskBody | str, form: Form) -> Call:
    """Return the request for what a task has read."""
    return Call("GET", _of(of) + "/result", headers=_accept(MEDIA_TYPES[form]))


def link(of: TaskBody | str, form: Form) -> Call:
    """Return the request for a link to what a task has read."""
    return replace(result(of, form), params={"link": "true"})


def events(of: TaskBody | str, last_event_id: str) -> Call:
    """Return the request for what happens to a task after an event."""
    headers = _accept(_EVENTS) | {"Last-Event-ID": last_event_id}
    return Call("GET", _of(of) + "/events", headers=headers)


def cancel(of: TaskBody | str) -> Call:
    """Return the request that cancels a task."""
    return Call("DELETE", _of(of), headers=_accept(_JSON))


def idempotency_key(document: bytes, options: TaskOptions, salt: str = "") -> str:
    """Return a key that belongs to this document with these options, and to no other.

    Another `salt` makes another key.
    """
    chosen = options.model_dump_json(exclude_defaults=True)
    parts = (hashlib.sha256(document).hexdigest(), chosen, salt)
    return "sha256-" + hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _of(task: TaskBody | str) -> str:
    task_id = task if isinstance(task, str) else task.id
    if not _TASK_ID.fullmatch(task_id):
        raise ValueError("this is no id of a task")
    return f"{PATH_TASKS}/{task_id}"


def _accept(media_type: str) -> dict[str, str]:
    return {"Accept": media_type}


def _fields(options: Options) -> dict[str, str]:
    chosen = options.model_dump(mode="json", exclude_defaults=True)
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in chosen.items()
    }
