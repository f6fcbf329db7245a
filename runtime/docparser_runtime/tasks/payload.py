"""What a worker needs to know of a job, as JSON in the queue.

Releases of the runtime share a queue while one replaces the other. A worker that finds a version or
a field which it does not know leaves the job to a newer one: it must not ignore an option.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ValidationError

from docparser_runtime.schemas import Body, Options


class StoredDocument(Body):
    """An upload in the store."""

    ref: str
    sha256: str


class Payload(Body):
    """What is to be read, and how."""

    version: Literal[1] = 1
    documents: tuple[StoredDocument, ...]
    options: Options
    text: bool = False
    """Whether somebody follows the text of the pages as it is written."""
    traceparent: str | None = None
    """Step of a trace that has queued the job; absent unless traces are on. It is here, where a
    worker that does not know it would leave the job alone, as no release is without it."""


def traceparent_of(values: Mapping[str, Any]) -> str | None:
    """Return the step that has queued a job, also one that needs a newer release."""
    found = values.get("traceparent")
    return found if isinstance(found, str) else None


def has_text(values: Mapping[str, Any]) -> bool:
    """Return whether text of the job's pages is kept as it is written."""
    return values.get("text") is True


class UnknownPayload(Exception):  # noqa: N818 (no fault: a newer release has written it)
    """The job needs a newer release."""


def dumped(payload: Payload) -> dict[str, Any]:
    """Return `payload` as JSON values, without a password: that must not reach the disk."""
    values = payload.model_dump(
        mode="json", exclude_defaults=True, exclude={"options": {"password"}}
    )
    return values | {"version": payload.version}


def loaded(values: Mapping[str, Any]) -> Payload:
    """Return the payload that `dumped` made of it.

    Raises:
        UnknownPayload: another release has written it.
    """
    try:
        return Payload.model_validate(values)
    except ValidationError:
        raise UnknownPayload from None
