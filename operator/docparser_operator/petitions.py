"""What people ask for by annotation, and who says to have asked: for status and Events. Pure."""

from collections.abc import Iterator
from datetime import datetime

from docparser_api.claims import REQUESTS, Claim, claims_of
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import RequestStatus

from docparser_operator.clock import timestamp

_MOST = 512


def petitions(parser: DocParserDeployment, now: datetime) -> list[RequestStatus]:
    """Return the requests that stand, and those that somebody says to have taken back."""
    annotations, before = parser.metadata.annotations, parser.status.requests
    claims = claims_of(annotations)
    found = []
    for name, annotation in REQUESTS.items():
        value, claim = annotations.get(annotation), claims.get(name)
        if value is None and claim is None:
            continue
        new = RequestStatus(
            name=name,
            value=value[:_MOST] if value is not None else None,
            claimed_by=_one_line(claim.by) if claim else None,
            claimed_at=claim.at if claim else None,
            since=timestamp(now),
        )
        found.append(next((old for old in before if _is_same(old, new)), new))
    return found


def news(old: list[RequestStatus], new: list[RequestStatus]) -> Iterator[tuple[str, str]]:
    """Yield an identity and the words for each request that came or went."""
    before, after = {r.name: r for r in old}, {r.name: r for r in new}
    for name in REQUESTS:
        was, now = before.get(name), after.get(name)
        asked = was is not None and was.value is not None
        if now is not None and now.value is not None and was != now:
            yield f"{name}={now.value}", f"{name}={now.value} is asked for{_claimed(now)}"
        elif asked and (now is None or now.value is None):
            yield f"{name}-", f"{name} is taken back{_claimed(now)}"


def claimed_by(claim: Claim | None) -> str:
    """Return who asked, for the end of a sentence."""
    if claim is None:
        return ", by whom no client said"
    return f", by {_one_line(claim.by)} at {claim.at}, as the client says"


def _claimed(request: RequestStatus | None) -> str:
    if request is None or request.claimed_by is None:
        return claimed_by(None)
    return f", by {request.claimed_by} at {request.claimed_at}, as the client says"


def _is_same(old: RequestStatus, new: RequestStatus) -> bool:
    return old == new.model_copy(update={"since": old.since})


def _one_line(text: str) -> str:
    return " ".join(text.split())
