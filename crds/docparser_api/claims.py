"""Who says to have asked: what clients write beside the annotations by which people ask.

A claim is what a client wrote, no proof: whoever may write annotations may write anything. What the
API server knows of the writer stands in its audit log.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from docparser_api import names
from docparser_api.base import ApiModel
from docparser_api.rollout_status import Timestamp

REQUESTS = {
    annotation.rpartition("/")[2]: annotation
    for annotation in (
        names.ANNOTATION_PROMOTE,
        names.ANNOTATION_PAUSE,
        names.ANNOTATION_ABORT,
        names.ANNOTATION_RETRY,
        names.ANNOTATION_ROLLBACK_TO,
    )
}
"""Short names of the annotations by which people ask, and the annotations."""


def _time(text: str) -> str:
    datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return text


class Claim(ApiModel):
    """Who says to have set an annotation to `value`, or to have removed it, and when."""

    value: str | None = None
    """The annotation's value; absent: it was removed."""
    by: str = Field(min_length=1, max_length=256)
    """Name of the user."""
    at: Annotated[Timestamp, AfterValidator(_time)]
    """When, by the client's clock."""


_CLAIMS = TypeAdapter(dict[str, Claim])


def claims_of(annotations: Mapping[str, str]) -> dict[str, Claim]:
    """Return the claims, by the request's short name, that fit what the annotations are now.

    One that cannot be read, or that belongs to an earlier value, says nothing.
    """
    return {
        name: claim
        for name, claim in _read(annotations).items()
        if name in REQUESTS and claim.value == annotations.get(REQUESTS[name])
    }


def with_claims(
    annotations: Mapping[str, str], changes: Mapping[str, str | None], by: str | None, at: str
) -> str | None:
    """Return the annotation of all claims after `changes` by `by`; None where no claim is left.

    Args:
        annotations: those of the object as they are.
        changes: annotations to be set or, with None, removed.
        by: name of the user; None where it is not known, which ends earlier claims, too.
        at: the time.
    """
    claims = {n: c for n, c in claims_of(annotations).items() if REQUESTS[n] not in changes}
    if by is not None:
        claims |= {
            name: Claim(value=changes[annotation], by=by[:256], at=at)
            for name, annotation in REQUESTS.items()
            if annotation in changes
        }
    return _CLAIMS.dump_json(claims, exclude_none=True).decode() if claims else None


def _read(annotations: Mapping[str, str]) -> dict[str, Claim]:
    try:
        return _CLAIMS.validate_json(annotations.get(names.ANNOTATION_REQUESTED_BY, "{}"))
    except ValidationError:
        return {}
