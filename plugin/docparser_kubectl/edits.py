"""What each steering command writes: annotations, decided from what is. Pure."""

import shlex
from dataclasses import dataclass, replace

from docparser_api import names
from docparser_api.claims import with_claims

from docparser_kubectl import references
from docparser_kubectl.errors import Failure
from docparser_kubectl.progress import under_way
from docparser_kubectl.subject import Subject

ALL_STEPS = "all"


@dataclass(frozen=True)
class Edit:
    """Annotations to set, or to remove where the value is None, and what that means."""

    values: dict[str, str | None]
    meaning: str


def signed(edit: Edit, subject: Subject, user: str | None, now: str) -> Edit:
    """Return `edit` with the note of who made it; None for `user` where that is not known."""
    annotations = subject.metadata.annotations
    note = with_claims(annotations, edit.values, user, now)
    if note is None and names.ANNOTATION_REQUESTED_BY not in annotations:
        return edit
    return replace(edit, values={**edit.values, names.ANNOTATION_REQUESTED_BY: note})


def promote(subject: Subject, *, full: bool) -> Edit:
    """Return the edit that ends the wait at the current step, or skips all that are left."""
    rollout = under_way(subject)
    if rollout is None:
        raise Failure(_nothing(subject, "promote"))
    steps = (subject.spec.rollout.steps or []) if subject.spec else []
    if not full and (not steps or rollout.without_steps):
        raise Failure("this rollout has no steps, it goes on by itself; nothing to promote")
    if not full and rollout.step_index >= len(steps):
        raise Failure("all steps are done, the rollout ends by itself; nothing to promote")
    where = ALL_STEPS if full else str(rollout.step_index)
    what = "all steps that are left" if full else f"step {rollout.step_index}"
    meaning = f"revision {subject.label(rollout.revision)} goes on, past {what}"
    if names.ANNOTATION_PAUSE in subject.metadata.annotations:
        meaning += f"; it is still paused, see: kubectl docparser resume {subject.metadata.name}"
    return Edit(
        {names.ANNOTATION_PROMOTE: f"{_number(subject, rollout.revision)}/{where}"}, meaning
    )


def _number(subject: Subject, revision: str) -> str:
    """Return how an annotation names a revision that is rolled out now.

    The number is another one when the same revision comes again, so that what is asked now is not
    asked then.
    """
    known = subject.observed.revisions.get(revision)
    return str(known.number) if known else revision


def pause() -> Edit:
    """Return the edit that stops a rollout before its next step."""
    return Edit({names.ANNOTATION_PAUSE: "true"}, "the rollout stops before its next step")


def resume(subject: Subject) -> Edit:
    """Return the edit that takes the pause back."""
    if names.ANNOTATION_PAUSE in subject.metadata.annotations:
        return Edit({names.ANNOTATION_PAUSE: None}, "the rollout goes on")
    rollout = under_way(subject)
    if rollout is not None and rollout.pause is not None:
        how = f"kubectl docparser promote {subject.metadata.name}"
        raise Failure(f"step {rollout.step_index} waits, not an annotation; go on with: {how}")
    raise Failure("nothing is paused")


def abort(subject: Subject) -> Edit:
    """Return the edit that gives the rollout up."""
    rollout = under_way(subject)
    if rollout is None:
        raise Failure(_nothing(subject, "abort"))
    meaning = (
        f"revision {subject.label(rollout.revision)} is given up, "
        f"{subject.label(subject.status.current_revision)} goes on serving"
    )
    return Edit({names.ANNOTATION_ABORT: _number(subject, rollout.revision)}, meaning)


def retry(subject: Subject, now: str) -> Edit:
    """Return the edit that lets the wanted revision be tried again."""
    wanted = subject.status.update_revision or ""
    revision, rollout = subject.observed.revisions.get(wanted), subject.status.rollout
    outcome = revision.outcome if revision else None
    given_up = rollout is not None and rollout.revision == wanted and rollout.failed_at is not None
    aborted = subject.metadata.annotations.get(names.ANNOTATION_ABORT)
    named = revision is not None and aborted in {wanted, str(revision.number)}
    if not (given_up or named or (outcome is not None and outcome.result == "Failed")):
        raise Failure(f"revision {subject.label(wanted or None)} has not failed; nothing to retry")
    values: dict[str, str | None] = {names.ANNOTATION_RETRY: now}
    if named:
        values[names.ANNOTATION_ABORT] = None
    return Edit(values, f"revision {subject.label(wanted)} is tried again")


def rollback(subject: Subject, to: str, reason: str | None, now: str) -> Edit:
    """Return the edit that pins an earlier revision.

    Raises:
        Failure: it is unknown or never served; the message lists those that did.
    """
    known = subject.observed.revisions
    revision = references.find(to, known)
    if not revision.has_served:
        served = (one for one in known.values() if one.has_served)
        raise Failure(
            f"revision {subject.label(revision.hash)} is not known to work; "
            f"those that served are {references.listing(served)}"
        )
    remark = " ".join(filter(None, (now, reason)))
    value = f"{references.canonical(to, revision)}#{remark}"
    meaning = f"revision {subject.label(revision.hash)} comes back and stays until spec changes"
    return Edit({names.ANNOTATION_ROLLBACK_TO: value}, meaning)


def end_rollback(subject: Subject) -> Edit:
    """Return the edit that lets spec rule again."""
    if names.ANNOTATION_ROLLBACK_TO not in subject.metadata.annotations:
        raise Failure("no rollback is in force")
    return Edit({names.ANNOTATION_ROLLBACK_TO: None}, "the revision that spec asks for comes back")


def kubectl_equivalent(edit: Edit, name: str, namespace: str, context: str | None) -> str:
    """Return the command that does the same without this program."""
    changes = [
        f"{key}-" if value is None else f"{key}={value}" for key, value in edit.values.items()
    ]
    overwrite = ["--overwrite"] if any(value is not None for value in edit.values.values()) else []
    where = ["-n", namespace, *(["--context", context] if context else [])]
    command = ["kubectl", "annotate", f"{names.SHORT_NAME}/{name}", *where, *changes, *overwrite]
    return shlex.join(command)


def _nothing(subject: Subject, verb: str) -> str:
    """Return why there is no rollout to steer."""
    if not subject.is_current:
        return "the operator has not seen the latest spec yet; try again in a moment"
    rollout = subject.status.rollout
    if rollout is not None and rollout.failed_at is not None:
        return (
            f"the rollout of revision {subject.label(rollout.revision)} has failed already; "
            f"nothing to {verb}, see: kubectl docparser retry {subject.metadata.name}"
        )
    return f"no rollout is under way; nothing to {verb}"
