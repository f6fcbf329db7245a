from dataclasses import replace
from itertools import pairwise

from docparser_operator.cache import cached, prune_jobs
from docparser_operator.jobs import job_of
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed
from docparser_operator.revisions import (
    Observation,
    Revision,
    content_of,
    shape_of,
    wanted_revision,
)
from support.builders import a_parser

PARSER = a_parser()


def weights(version: str, claim: str | None = "cache", mode: str = "ReadWriteMany") -> Manifest:
    cache = {"persistentVolumeClaim": {"claimName": claim, "accessMode": mode}} if claim else {}
    return {
        "version": version,
        "source": {"s3": {"bucket": "models"}},
        "manifest": {"sha256": version * 64},
        "cache": cache,
    }


def revision(version: str, number: int, claim: str | None = "cache") -> Revision:
    parser = PARSER.with_spec(model={"weights": weights(version, claim)})
    made = wanted_revision(parser.built(), {})
    return replace(made, observations=(Observation(number, number, "1"),))


def directory(version: str) -> str:
    return f"{version}-{version * 16}"


A, B, C = revision("a", 1), revision("b", 2), revision("c", 3)
KNOWN = {r.hash: r for r in (A, B, C)}


def kept(forget: list[Revision], *others: Revision, near: frozenset[tuple[str, str]]) -> list[str]:
    known = {**KNOWN, **{r.hash: r for r in others}}
    gone = [r.hash for r in forget]
    jobs = prune_jobs(PARSER.built(), Observed(), known, gone, near)
    if not jobs:
        return []
    (job,) = jobs
    words = job["spec"]["template"]["spec"]["containers"][0]["args"]
    return [word for before, word in pairwise(words) if before == "--keep"]


def test_only_what_no_kept_revision_needs_may_go() -> None:
    assert kept([], near=frozenset()) == []
    assert kept([A], near=frozenset()) == [directory("b"), directory("c")]


def test_weights_that_another_revision_or_object_needs_stay() -> None:
    twin = replace(A, hash="twin")
    assert kept([A], twin, near=frozenset()) == []
    assert kept([A], near=frozenset({("cache", directory("a"))})) == []
    other = frozenset({("cache", directory("d")), ("elsewhere", directory("e"))})
    assert kept([A], near=other) == [directory("b"), directory("c"), directory("d")]


def test_a_job_is_made_once() -> None:
    (job,) = prune_jobs(PARSER.built(), Observed(), KNOWN, [A.hash], frozenset())
    state = job_of({**job, "metadata": {**job["metadata"], "uid": "1"}}, [])
    seen = Observed(jobs={state.name: state})
    assert prune_jobs(PARSER.built(), seen, KNOWN, [A.hash], frozenset()) == []


def test_only_a_shared_cache_that_can_be_written_is_pruned() -> None:
    for model, place in (
        (weights("a"), ("cache", directory("a"))),
        (weights("a", None), None),
        (weights("a", mode="ReadOnlyMany"), None),
        (None, None),
    ):
        spec = PARSER.with_spec(model={"weights": model} if model else {}).built().spec
        assert cached(content_of(shape_of(spec))) == place
    assert cached({"model": {"weights": {"from": "another version"}}}) is None
