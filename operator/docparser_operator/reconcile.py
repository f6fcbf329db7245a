"""Observe, plan, apply, report: the one function that every trigger ends in."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import structlog
from docparser_api.deployment import DocParserDeployment, ObjectMeta, parse, parse_status
from docparser_api.status import DocParserDeploymentStatus
from pydantic import ValidationError

from docparser_operator.clock import timestamp
from docparser_operator.delegation import seconds_to_next_look
from docparser_operator.errors import ApiError, ConflictError, NameTakenError, NotFoundError
from docparser_operator.kinds import Key, Manifest
from docparser_operator.observed import observe
from docparser_operator.plan import make_plan
from docparser_operator.problems import Problem
from docparser_operator.refusals import namespace_ends, problem_of
from docparser_operator.rollback_check import seconds_to_next_check
from docparser_operator.scaling import scaled
from docparser_operator.senses import Senses
from docparser_operator.status import invalid_status, make_status
from docparser_operator.store import Store
from docparser_operator.transitions import events
from docparser_operator.trial import subject
from docparser_operator.writer import Writer

log = structlog.get_logger(__name__)

REFUSED_RETRY_SECONDS = 30.0
"""How soon a refused write is tried again when nothing that we watch changes."""


class Reconciler:
    """Makes the cluster match one DocParserDeployment at a time.

    Args:
        store: what is known of the cluster.
        writer: writes children, status and Events.
        senses: looks at what the store does not know.
        clock: returns the current time.
    """

    def __init__(
        self, store: Store, writer: Writer, senses: Senses, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._writer = writer
        self._senses = senses
        self._clock = clock

    async def reconcile(self, key: Key) -> float | None:
        """Bring `key` one pass nearer to its spec; return when to look again, in seconds.

        Raises:
            ConflictError, UnavailableError: nothing is wrong with the spec, try again.
            NotLeaderError: stop.
        """
        body = self._store.resource(key)
        if body is None or "deletionTimestamp" in body["metadata"]:
            self._writer.forget(key)
            self._senses.attend(key, None)
            self._senses.gauge(key, None)
            return None  # the garbage collector removes the children
        try:
            parser = parse(body)
        except ValidationError as error:
            return await self._report_invalid(body, _words(error))
        return await self._pass(key, parser)

    async def _pass(self, key: Key, parser: DocParserDeployment) -> float | None:
        """Do what a valid object needs; return when to look again, in seconds."""
        observed = observe(parser.metadata, self._store.children(key))
        around, now = await self._senses.surroundings(parser), self._clock()
        scaling = scaled(parser, observed, around, now)
        if scaling.is_change_of(parser):
            # Written before it is done, or a crash in between would undo it for a moment.
            await self._report(parser.metadata, parser.status, scaling.parser.status, now)
            self._senses.gauge(key, scaling.subject)
            return 0.0
        old, parser = parser.status, scaling.parser
        plan = make_plan(parser, observed, now, around)
        refusal = None
        try:
            await self._writer.carry_out(parser.metadata, observed, plan)
        except (ConflictError, NotFoundError):
            raise
        except ApiError as error:
            if namespace_ends(error):
                return None
            refusal = problem_of(error)
        except NameTakenError as error:
            refusal = problem_of(error)
        self._senses.attend(key, subject(parser, observed, plan.decision))
        self._senses.gauge(key, scaling.subject)
        status = make_status(parser, observed, plan, refusal, now)
        await self._report(parser.metadata, old, status, now)
        check = seconds_to_next_check(parser, plan.decision, plan.previous, now)
        scaler = seconds_to_next_look(parser, observed, around)
        looks = [s for s in (plan.decision.requeue_seconds, check, scaler) if s is not None]
        return _next_look(refusal, min(looks, default=None))

    async def _report_invalid(self, body: Manifest, message: str) -> float | None:
        """Say that the spec cannot be used; whatever runs goes on running."""
        metadata, old = ObjectMeta.model_validate(body["metadata"]), parse_status(body)
        now = self._clock()
        status = invalid_status(old, metadata.generation, message, now)
        await self._report(metadata, old, status, now)
        return None

    async def _report(
        self,
        owner: ObjectMeta,
        old: DocParserDeploymentStatus,
        new: DocParserDeploymentStatus,
        now: datetime,
    ) -> None:
        """Write `new` and its Events, if anything changed."""
        if new == old or not await self._writer.patch_status(owner, _with_removals(old, new)):
            return
        log.info("status", key=str(Key(owner.namespace, owner.name)), summary=new.summary)
        for event in events(owner, old, new, timestamp(now)):
            await self._writer.send(event)


def _next_look(refusal: Problem | None, requeue_seconds: float | None) -> float | None:
    if refusal is None:
        return requeue_seconds
    return min(REFUSED_RETRY_SECONDS, requeue_seconds or REFUSED_RETRY_SECONDS)


def _with_removals(
    old: DocParserDeploymentStatus, new: DocParserDeploymentStatus
) -> dict[str, Any]:
    """Return the merge patch from `old` to `new`: absent fields become null, which removes them."""
    before = old.model_dump(by_alias=True, exclude_none=True, mode="json")
    after = new.model_dump(by_alias=True, exclude_none=True, mode="json")
    return _nulls(before, after) | after


def _nulls(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return a merge patch that only removes what `after` lacks."""
    result: dict[str, Any] = {}
    for key, value in before.items():
        if key not in after:
            result[key] = None
        elif isinstance(value, dict) and isinstance(after[key], dict):
            after[key] = _nulls(value, after[key]) | after[key]
    return result


def _words(error: ValidationError) -> str:
    """Return what is wrong with the spec, by field; values stay out, they may be secret."""
    found = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return "; ".join(found)[:1000]
