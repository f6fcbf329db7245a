"""What the container that fetches weights has said."""

from typing import Any

import pytest
from docparser_api import names
from docparser_operator.pods import Pod
from docparser_operator.weights import InitOutcome, failure_words, init_outcome

MISSING = '{"code": "NotFound", "message": "404 at the source", "file": "model.bin"}'
ENDED = {"exitCode": 1, "message": MISSING}
RUNNING: dict[str, Any] = {"running": {}}


def a_pod(*statuses: dict[str, Any]) -> Pod:
    manifest = {"status": {"initContainerStatuses": list(statuses)}}
    return Pod("p", "new", deleting=False, ready=False, manifest=manifest)


def fetch(state: dict[str, Any], last: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"name": names.WEIGHTS_CONTAINER, "state": state, "lastState": last or {}}


OUTCOMES: dict[str, tuple[Pod, InitOutcome | None]] = {
    "no status yet": (Pod("p", "new", deleting=False, ready=False, manifest={}), None),
    "another container": (a_pod({"name": "other", "state": {"terminated": ENDED}}), None),
    "it fetches": (a_pod(fetch(RUNNING)), None),
    "it is done": (a_pod(fetch({"terminated": {"exitCode": 0}})), InitOutcome(None)),
    "it failed": (
        a_pod(fetch({"terminated": ENDED})),
        InitOutcome("model.bin: NotFound: 404 at the source"),
    ),
    "it tries again": (
        a_pod(fetch(RUNNING, {"terminated": ENDED})),
        InitOutcome("model.bin: NotFound: 404 at the source"),
    ),
    "a second attempt is done": (
        a_pod(fetch({"terminated": {"exitCode": 0}}, {"terminated": ENDED})),
        InitOutcome(None),
    ),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_fetch_ends_well_or_says_why_not(name: str) -> None:
    pod, outcome = OUTCOMES[name]
    assert init_outcome(pod) == outcome


def ended(message: str) -> dict[str, Any]:
    return {"exitCode": 137, "reason": "OOMKilled", "message": message}


WORDS = {
    "code, words and file": (MISSING, "model.bin: NotFound: 404 at the source"),
    "the file is named already": (
        '{"code": "WrongDigest", "message": "a.bin has another digest", "file": "a.bin"}',
        "WrongDigest: a.bin has another digest",
    ),
    "no file": (
        '{"code": "DiskFull", "message": "2 GiB are missing"}',
        "DiskFull: 2 GiB are missing",
    ),
    "log lines before it": (f"fetching\n{MISSING}\n", "model.bin: NotFound: 404 at the source"),
    "plain text": ("Killed by somebody", "Killed by somebody"),
    "JSON of something else": ('{"level": "info"}', '{"level": "info"}'),
    "JSON that is no object": ("[1, 2]", "[1, 2]"),
    "nothing": ("", "exit code 137, OOMKilled"),
}


@pytest.mark.parametrize("name", WORDS)
def test_the_words_of_a_failure(name: str) -> None:
    message, words = WORDS[name]
    assert failure_words(ended(message)) == words


def test_a_container_that_says_nothing_at_all_has_an_exit_code() -> None:
    assert failure_words({"exitCode": 1}) == "exit code 1, "


def test_words_are_cut_to_what_a_condition_can_show() -> None:
    assert len(failure_words(ended("x" * 5000))) == 500
