import json
from collections.abc import Callable
from typing import Any

import pytest
from docparser_api import names
from docparser_kubectl import edits
from docparser_kubectl.edits import Edit
from docparser_kubectl.errors import Failure
from docparser_kubectl.subject import Subject

from .cases import BAD, NEW, OLD, canary, serving, subject

NOW = "2026-01-01T12:30:00Z"
RUNNING = subject(canary(1), OLD, NEW, BAD)
PAUSED = subject(canary(1).with_annotation(names.ANNOTATION_PAUSE, "true"), OLD, NEW)
ABORTED = subject(
    serving(OLD, NEW).with_annotation(names.ANNOTATION_ABORT, NEW.hash),
    OLD,
    NEW,
)
PINNED = subject(serving().with_annotation(names.ANNOTATION_ROLLBACK_TO, "1"), OLD)
IDLE = subject(serving(), OLD, BAD)
FAILED = subject(serving(OLD, BAD), OLD, BAD)
FULL: dict[str, Any] = {"full": True}
STEP: dict[str, Any] = {"full": False}

DONE: dict[str, tuple[Callable[[], Edit], dict[str, str | None]]] = {
    "promote": (lambda: edits.promote(RUNNING, **STEP), {"promote": f"{NEW.number}/1"}),
    "promote to the end": (
        lambda: edits.promote(RUNNING, **FULL),
        {"promote": f"{NEW.number}/all"},
    ),
    "pause": (edits.pause, {"pause": "true"}),
    "resume": (lambda: edits.resume(PAUSED), {"pause": None}),
    "abort": (lambda: edits.abort(RUNNING), {"abort": str(NEW.number)}),
    "retry an aborted one": (lambda: edits.retry(ABORTED, NOW), {"retry": NOW, "abort": None}),
    "retry a failed one": (lambda: edits.retry(FAILED, NOW), {"retry": NOW}),
    "roll back by number": (
        lambda: edits.rollback(RUNNING, "1", None, NOW),
        {"rollback-to": f"1#{NOW}"},
    ),
    "roll back by the beginning of a hash": (
        lambda: edits.rollback(RUNNING, OLD.hash[:5], "wrong text", NOW),
        {"rollback-to": f"{OLD.hash}#{NOW} wrong text"},
    ),
    "roll back by version": (
        lambda: edits.rollback(RUNNING, "resourceVersion:150", None, NOW),
        {"rollback-to": f"resourceVersion:150#{NOW}"},
    ),
    "end a rollback": (lambda: edits.end_rollback(PINNED), {"rollback-to": None}),
}


@pytest.mark.parametrize("what", DONE)
def test_what_is_written(what: str) -> None:
    edit, want = DONE[what]
    assert edit().values == {f"{names.GROUP}/{key}": value for key, value in want.items()}


def test_an_edit_is_signed_with_the_users_name() -> None:
    edit = edits.signed(edits.abort(RUNNING), RUNNING, "ada", NOW)
    who = json.loads(edit.values[names.ANNOTATION_REQUESTED_BY] or "")
    assert who == {"abort": {"value": str(NEW.number), "by": "ada", "at": NOW}}
    assert edit.values[names.ANNOTATION_ABORT] == str(NEW.number)


def test_an_edit_without_a_name_takes_the_signature_of_the_one_before_away() -> None:
    plain = edits.resume(PAUSED)
    assert edits.signed(plain, PAUSED, None, NOW) == plain
    signature = '{"pause": {"value": "true", "by": "ada", "at": "2026-01-01T12:00:00Z"}}'
    signed = canary(1).with_annotation(names.ANNOTATION_PAUSE, "true")
    before = subject(signed.with_annotation(names.ANNOTATION_REQUESTED_BY, signature), OLD, NEW)
    values = edits.signed(edits.resume(before), before, None, NOW).values
    assert values == {names.ANNOTATION_PAUSE: None, names.ANNOTATION_REQUESTED_BY: None}


def a_canary(step: int, **rollout: Any) -> Subject:
    return subject(canary(step, **rollout), OLD, NEW)


REFUSED: dict[str, tuple[Callable[[], Edit], str]] = {
    "promote nothing": (lambda: edits.promote(IDLE, **STEP), "no rollout is under way"),
    "promote what has failed": (
        lambda: edits.promote(a_canary(1, failedAt=NOW), **STEP),
        "has failed already",
    ),
    "promote past the end": (lambda: edits.promote(a_canary(4), **STEP), "all steps are done"),
    "promote what has no steps": (
        lambda: edits.promote(a_canary(0, withoutSteps=True), **STEP),
        "no steps",
    ),
    "resume a step": (
        lambda: edits.resume(a_canary(1, pause={"reason": "Step", "since": NOW})),
        "kubectl docparser promote reader",
    ),
    "resume nothing": (lambda: edits.resume(RUNNING), "nothing is paused"),
    "abort nothing": (lambda: edits.abort(IDLE), "nothing to abort"),
    "retry what works": (lambda: edits.retry(IDLE, NOW), "has not failed"),
    "an unknown revision": (
        lambda: edits.rollback(RUNNING, "9", None, NOW),
        f"known are 3 ({BAD.hash}), 2 ({NEW.hash}), 1 ({OLD.hash})",
    ),
    "a revision that never served": (
        lambda: edits.rollback(RUNNING, "2", None, NOW),
        f"those that served are 1 ({OLD.hash})",
    ),
    "a failed revision": (lambda: edits.rollback(RUNNING, "3", None, NOW), "not known to work"),
    "end no rollback": (lambda: edits.end_rollback(IDLE), "no rollback is in force"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    edit, want = REFUSED[what]
    with pytest.raises(Failure) as refused:
        edit()
    assert want in str(refused.value)


def test_what_has_not_been_seen_is_not_steered() -> None:
    newer = subject(serving().with_generation(2), OLD)
    with pytest.raises(Failure, match="has not seen the latest spec"):
        edits.abort(newer)


def test_a_paused_rollout_is_promoted_with_a_hint() -> None:
    assert "kubectl docparser resume reader" in edits.promote(PAUSED, full=False).meaning


def test_the_command_that_does_the_same() -> None:
    set_one = edits.rollback(RUNNING, "1", "wrong text", NOW)
    assert edits.kubectl_equivalent(set_one, "reader", "ocr", "prod") == (
        "kubectl annotate dpd/reader -n ocr --context prod "
        f"'docparser.dev/rollback-to=1#{NOW} wrong text' --overwrite"
    )
    removed = edits.resume(PAUSED)
    assert edits.kubectl_equivalent(removed, "reader", "ocr", None) == (
        "kubectl annotate dpd/reader -n ocr docparser.dev/pause-"
    )
