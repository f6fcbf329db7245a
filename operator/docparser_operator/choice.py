"""Which revision is to serve: the one of spec or, after a rollback, an earlier one. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from docparser_api import names
from docparser_api.claims import claims_of
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import Reason, RollbackStatus

from docparser_operator.clock import timestamp
from docparser_operator.petitions import claimed_by
from docparser_operator.problems import Problem
from docparser_operator.references import find_revision
from docparser_operator.revisions import Revision, is_failed, wanted_revision
from docparser_operator.steps import ALL, Requests


@dataclass(frozen=True)
class Choice:
    """What is to serve, and because of whom.

    Attributes:
        wanted: the revision that spec asks for.
        target: the revision that is to serve.
        rollback: the rollback by annotation, under way or ended.
        refusal: why the rollback that the annotation asks for is not done.
        requests: what people ask of the rollout of the target.
        misread: what is wrong with another annotation.
    """

    wanted: Revision
    target: Revision
    rollback: RollbackStatus | None
    refusal: Problem | None
    requests: Requests
    misread: Problem | None

    def has_failed(self, parser: DocParserDeployment) -> bool:
        """Return whether the target was given up, and nobody has asked for it since."""
        outcome, rollback = self.target.outcome, self.rollback
        if self.is_rolled_back and outcome is not None and rollback is not None:
            return outcome.result == "Failed" and outcome.time >= rollback.since
        return is_failed(self.target, parser)

    @property
    def is_rolled_back(self) -> bool:
        """Whether an annotation keeps spec's revision from serving."""
        return self.rollback is not None and self.rollback.revision is not None


def choose(parser: DocParserDeployment, known: dict[str, Revision], now: datetime) -> Choice:
    """Return what is to serve, given the revisions that are `known`."""
    wanted = wanted_revision(parser, known)
    known = {**known, wanted.hash: wanted}
    rollback, refusal = _rollback(parser, known, wanted, now)
    target = wanted
    if rollback is not None and rollback.revision is not None:
        target = known.get(rollback.revision, wanted)
    requests, misread = _requests(parser, target, known)
    if rollback is not None and rollback.revision is not None:
        # Who asks for a rollback wants it now, whatever was stopped before.
        requests = replace(requests, paused=False)
    return Choice(wanted, target, rollback, refusal, requests, misread)


def comes_back(target: Revision, stable: str | None, known: dict[str, Revision], most: int) -> bool:
    """Return whether `target` served before `stable` did, with fewer than `most` others since.

    Then it is a rollback by spec: the way back needs no steps.
    """
    if target.hash == stable or stable not in known or not _is_proven(target):
        return False
    before = [o.number for o in target.observations if o.number < known[stable].number]
    if not before:
        return False
    since = [
        revision
        for name, revision in known.items()
        if name != target.hash and revision.number > max(before) and revision.has_served
    ]
    return len(since) <= most


def _is_proven(revision: Revision) -> bool:
    """Return whether the latest rollout of `revision` ended well."""
    return revision.outcome is not None and revision.outcome.result == "Succeeded"


def _rollback(
    parser: DocParserDeployment, known: dict[str, Revision], wanted: Revision, now: datetime
) -> tuple[RollbackStatus | None, Problem | None]:
    """Return the rollback that is in force or has ended, and why a new one is refused."""
    to, last = parser.metadata.annotations.get(names.ANNOTATION_ROLLBACK_TO), parser.status.rollback
    if to is None:
        return None, None
    if last is not None and last.to == to:
        if wanted.hash != last.spec_revision or last.revision not in known:
            return last.model_copy(update={"revision": None}), None
        return last, None
    name = to.partition("#")[0].strip()
    found = find_revision(name, known)
    if found is None:
        words = f"{names.ANNOTATION_ROLLBACK_TO}: no kept revision is named {name[:80]!r}"
        return None, Problem(Reason.REVISION_NOT_FOUND, words)
    if not found.has_served:
        words = f"{names.ANNOTATION_ROLLBACK_TO}: revision {found.number} never served"
        return None, Problem(Reason.REVISION_NOT_USABLE, words)
    return RollbackStatus(
        to=to[:512], revision=found.hash, spec_revision=wanted.hash, since=timestamp(now)
    ), None


def _requests(
    parser: DocParserDeployment, target: Revision, known: dict[str, Revision]
) -> tuple[Requests, Problem | None]:
    """Return what the annotations ask of the rollout of `target`, and what cannot be read."""
    annotations = parser.metadata.annotations
    problems = []
    paused = annotations.get(names.ANNOTATION_PAUSE, "false")
    if paused not in {"true", "false"}:
        problems.append(f"{names.ANNOTATION_PAUSE}: write true, or remove it")
    promote: int | Literal["all"] | None = None
    if text := annotations.get(names.ANNOTATION_PROMOTE):
        revision, _, step = text.partition("/")
        if step != ALL and not step.isdecimal():
            problems.append(f"{names.ANNOTATION_PROMOTE}: write REVISION/STEP or REVISION/all")
        elif _is_current(revision, target, known):
            promote = "all" if step == ALL else int(step)
    abort = annotations.get(names.ANNOTATION_ABORT)
    aborted = abort is not None and _is_current(abort, target, known)
    misread = Problem(Reason.INVALID_REQUEST, "; ".join(problems)) if problems else None
    by = claimed_by(claims_of(annotations).get("abort")) if aborted else ""
    return Requests(paused == "true", promote, aborted, by), misread


def _is_current(text: str, target: Revision, known: dict[str, Revision]) -> bool:
    """Return whether `text` means this rollout of `target`, not an earlier one under a number."""
    outdated = text.isdecimal() and int(text) < target.number
    return find_revision(text, known) == target and not outdated
