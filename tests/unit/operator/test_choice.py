"""Which revision is to serve, and what people ask of its rollout."""

import pytest
from docparser_api import names
from docparser_api.status import Reason
from docparser_operator.choice import Choice, choose, comes_back
from docparser_operator.clock import timestamp
from docparser_operator.revisions import Observation, Outcome, Revision, wanted_revision
from docparser_operator.steps import Requests
from support.builders import ParserBuilder, a_parser
from support.fake_clock import START

GOOD = Outcome("Succeeded", "2026-01-01T00:00:00Z")
BAD = Outcome("Failed", "2026-01-01T00:00:00Z")
FIRST, SECOND, THIRD, NEW = (a_parser().with_image(f"example.org/runtime:{n}") for n in range(1, 5))


def kept(parser: ParserBuilder, number: int, outcome: Outcome | None = GOOD) -> Revision:
    made = wanted_revision(parser.built(), {})
    seen = (Observation(number, number, str(100 * number)),)
    return Revision(made.hash, made.shape, made.template, seen, outcome)


ONE, TWO, THREE = kept(FIRST, 1), kept(SECOND, 2, BAD), kept(THIRD, 3)
KNOWN = {revision.hash: revision for revision in (ONE, TWO, THREE)}


def asking(value: str, parser: ParserBuilder = THIRD) -> ParserBuilder:
    return parser.with_annotation(names.ANNOTATION_ROLLBACK_TO, value)


def in_force(to: str, revision: str = ONE.hash, spec: str = THREE.hash) -> ParserBuilder:
    """Return a parser with a rollback that was begun earlier."""
    begun = {"to": to, "revision": revision, "specRevision": spec, "since": "2026-01-01T00:00:00Z"}
    return asking(to).with_status(rollback=begun)


def chosen(parser: ParserBuilder) -> Choice:
    return choose(parser.built(), KNOWN, START)


def test_without_an_annotation_the_revision_of_spec_serves() -> None:
    choice = chosen(THIRD)
    assert (choice.target, choice.rollback, choice.refusal) == (THREE, None, None)


def test_without_the_annotation_a_rollback_has_ended() -> None:
    parser = in_force("1")
    parser = THIRD.with_status(**parser.status)
    choice = chosen(parser)
    assert (choice.target, choice.rollback) == (THREE, None)


@pytest.mark.parametrize(
    "to",
    ["1", ONE.hash, ONE.hash[:5], "resourceVersion:100", "resourceVersion:199", "1#it reads badly"],
)
def test_a_rollback_names_its_revision_in_any_form(to: str) -> None:
    choice = chosen(asking(to))
    assert choice.target == ONE
    assert choice.wanted == THREE
    assert choice.is_rolled_back
    assert choice.rollback is not None
    assert choice.rollback.model_dump() == {
        "to": to,
        "revision": ONE.hash,
        "spec_revision": THREE.hash,
        "since": timestamp(START),
    }


@pytest.mark.parametrize(
    ("to", "reason"),
    {
        "9": Reason.REVISION_NOT_FOUND,
        "": Reason.REVISION_NOT_FOUND,
        "#only a remark": Reason.REVISION_NOT_FOUND,
        "previous": Reason.REVISION_NOT_FOUND,
        "resourceVersion:99": Reason.REVISION_NOT_FOUND,
        "2": Reason.REVISION_NOT_USABLE,
    }.items(),
)
def test_a_rollback_to_what_is_unknown_or_never_served_is_refused(to: str, reason: Reason) -> None:
    choice = chosen(asking(to))
    assert (choice.target, choice.rollback) == (THREE, None)
    assert choice.refusal is not None
    assert choice.refusal.reason == reason


def test_a_rollback_keeps_its_revision_though_its_words_would_name_another_by_now() -> None:
    choice = chosen(in_force("3#the third"))
    assert choice.target == ONE
    assert choice.rollback == in_force("3#the third").built().status.rollback


def test_a_new_spec_ends_a_rollback_for_good() -> None:
    parser = in_force("1").with_image("example.org/runtime:4")
    choice = chosen(parser)
    assert choice.target == choice.wanted
    assert choice.rollback is not None
    assert choice.rollback.revision is None
    ended = choice.rollback.model_dump(by_alias=True, exclude_none=True)
    back = chosen(asking("1").with_status(rollback=ended))
    assert back.target == THREE, "the spec of that time returns, the rollback does not"


def test_a_rollback_ends_when_its_revision_is_lost() -> None:
    choice = chosen(in_force("1", revision="0123456789"))
    assert choice.target == THREE
    assert not choice.is_rolled_back


def test_other_words_begin_another_rollback() -> None:
    parser = in_force("1")
    choice = chosen(parser.with_annotation(names.ANNOTATION_ROLLBACK_TO, "3"))
    assert choice.target == THREE
    assert choice.is_rolled_back


def test_a_rollback_counts_the_revision_that_spec_asks_for_since_this_moment() -> None:
    """Else the next look, at which that revision is kept, would find another one."""
    spec = asking("resourceVersion:150", FIRST)
    parser = ParserBuilder(**{**vars(spec), "resource_version": "150"})
    first = chosen(parser)
    again = choose(parser.built(), {**KNOWN, first.wanted.hash: first.wanted}, START)
    assert first.target == again.target
    assert first.refusal == again.refusal


REQUESTS = {
    "nothing is asked": ({}, Requests()),
    "pause": ({names.ANNOTATION_PAUSE: "true"}, Requests(paused=True)),
    "a pause that is over": ({names.ANNOTATION_PAUSE: "false"}, Requests()),
    "promote a step, by number": ({names.ANNOTATION_PROMOTE: "3/1"}, Requests(promote=1)),
    "promote all, by hash": (
        {names.ANNOTATION_PROMOTE: f"{THREE.hash}/all"},
        Requests(promote="all"),
    ),
    "promote another revision": ({names.ANNOTATION_PROMOTE: "1/all"}, Requests()),
    "abort, by number": (
        {names.ANNOTATION_ABORT: "3"},
        Requests(aborted=True, aborted_by=", by whom no client said"),
    ),
    "abort another revision": ({names.ANNOTATION_ABORT: "1"}, Requests()),
    "abort nonsense": ({names.ANNOTATION_ABORT: "all"}, Requests()),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_what_people_ask_for_concerns_one_revision_only(name: str) -> None:
    annotations, requests = REQUESTS[name]
    parser = THIRD
    for key, value in annotations.items():
        parser = parser.with_annotation(key, value)
    choice = chosen(parser)
    assert choice.requests == requests
    assert choice.misread is None


def test_a_request_may_name_a_revision_that_is_seen_for_the_first_time() -> None:
    assert chosen(NEW.with_annotation(names.ANNOTATION_ABORT, "4")).requests.aborted


def test_what_cannot_be_read_is_said_and_asks_for_nothing() -> None:
    parser = THIRD.with_annotation(names.ANNOTATION_PAUSE, "yes")
    for promote in ("3", "3/", "3/next", "all"):
        choice = chosen(parser.with_annotation(names.ANNOTATION_PROMOTE, promote))
        assert choice.requests == Requests()
        assert choice.misread is not None
        assert choice.misread.reason == Reason.INVALID_REQUEST
        assert names.ANNOTATION_PAUSE in choice.misread.message
        assert names.ANNOTATION_PROMOTE in choice.misread.message


def again(revision: Revision, number: int) -> Revision:
    """Return `revision` as it is when it is asked for once more."""
    seen = (*revision.observations, Observation(number, number, "1"))
    return Revision(revision.hash, revision.shape, revision.template, seen, revision.outcome)


BACK = {
    "one that never served": (kept(SECOND, 2, None), THREE, 3, False),
    "one that failed": (again(TWO, 4), THREE, 3, False),
    "the one that serves": (again(THREE, 4), THREE, 3, False),
    "one of before what serves": (again(ONE, 4), THREE, 3, True),
    "one of before, but only the very last is near enough": (again(ONE, 4), THREE, 1, True),
    "one of before, but none is near enough": (again(ONE, 4), THREE, 0, False),
    "one that is newer than what serves": (kept(NEW, 4), THREE, 3, False),
    "nothing is known of what serves": (again(ONE, 4), None, 3, False),
}


@pytest.mark.parametrize("name", BACK)
def test_a_revision_that_served_lately_comes_back(name: str) -> None:
    target, stable, most, comes = BACK[name]
    known = {**KNOWN, target.hash: target}
    assert comes_back(target, stable.hash if stable else None, known, most) is comes
