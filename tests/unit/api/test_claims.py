"""Who says to have asked: a claim fits the annotation that it was written with, and no other."""

import json

import pytest
from docparser_api import names
from docparser_api.claims import Claim, claims_of, with_claims

NOW = "2026-01-01T12:30:00Z"
LATER = "2026-01-01T12:31:00Z"
ABORT, PAUSE = names.ANNOTATION_ABORT, names.ANNOTATION_PAUSE
WHO = names.ANNOTATION_REQUESTED_BY


def after(
    annotations: dict[str, str], changes: dict[str, str | None], by: str | None, at: str = NOW
) -> dict[str, str]:
    """Return the annotations after a client has written `changes` and its claim."""
    values = {**changes, WHO: with_claims(annotations, changes, by, at)}
    return {k: v for k, v in (annotations | values).items() if v is not None}


def test_a_claim_says_who_set_an_annotation() -> None:
    assert claims_of(after({}, {ABORT: "3"}, "ada")) == {
        "abort": Claim(value="3", by="ada", at=NOW)
    }


def test_each_annotation_has_its_own() -> None:
    both = after(after({}, {PAUSE: "true"}, "ada"), {ABORT: "3"}, "bob", LATER)
    assert {name: claim.by for name, claim in claims_of(both).items()} == {
        "pause": "ada",
        "abort": "bob",
    }


def test_who_takes_one_back_is_noted() -> None:
    gone = after(after({}, {PAUSE: "true"}, "ada"), {PAUSE: None}, "bob", LATER)
    assert claims_of(gone) == {"pause": Claim(by="bob", at=LATER)}


def test_an_annotation_that_was_written_otherwise_has_none() -> None:
    claimed = after({}, {ABORT: "3"}, "ada")
    assert claims_of({**claimed, ABORT: "4"}) == {}
    assert claims_of({WHO: claimed[WHO]}) == {}


def test_a_client_that_does_not_know_its_user_ends_the_claim_before() -> None:
    claimed = after({}, {PAUSE: "true"}, "ada")
    assert after(claimed, {PAUSE: "true"}, None) == {PAUSE: "true"}


UNREADABLE = {
    "no JSON": "ada",
    "a list": "[]",
    "no claim": '{"abort": "ada"}',
    "nobody": json.dumps({"abort": {"value": "3", "by": "", "at": NOW}}),
    "no time": json.dumps({"abort": {"value": "3", "by": "ada", "at": "2026-13-01T00:00:00Z"}}),
    "another annotation": json.dumps({"else": {"value": "3", "by": "ada", "at": NOW}}),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_says_nothing(what: str) -> None:
    assert claims_of({ABORT: "3", WHO: UNREADABLE[what]}) == {}
