from typing import Any

import pytest
from docparser_api import names
from docparser_api.base import ApiModel
from docparser_api.runtime import RuntimeConfig
from docparser_api.spec import DocParserDeploymentSpec, PodShape
from docparser_operator.desired.pod import pod_template
from docparser_operator.revisions import (
    MAX_OBSERVATIONS,
    Observation,
    Outcome,
    Revision,
    content_of,
    controller_revision,
    from_controller_revision,
    hash_of,
    is_failed,
    shape_of,
    superfluous,
    wanted_revision,
)
from pydantic import Field
from support.builders import IMAGE, a_parser
from support.variations import variations

OWNER = a_parser().built().metadata
# With a GPU, so that its resource's name matters.
BASE: dict[str, Any] = {"image": IMAGE, "resources": {"gpu": {"count": 1}}}
SHAPES = dict(variations(PodShape, BASE))
RUNTIMES = dict(variations(RuntimeConfig, {}))
SPECS = dict(variations(DocParserDeploymentSpec, BASE))
NOT_OF_A_POD = sorted(SPECS.keys() - SHAPES.keys())


def hash_and_template(shape: PodShape) -> tuple[str, dict[str, Any]]:
    """Return the hash, and the template without it."""
    return hash_of(content_of(shape)), pod_template(OWNER, shape, "fixed")


@pytest.mark.parametrize("path", SHAPES)
def test_every_field_that_shapes_a_pod_makes_another_revision(path: str) -> None:
    shape = SHAPES[path]
    assert isinstance(shape, PodShape)
    before = hash_and_template(PodShape.model_validate(BASE))
    after = hash_and_template(shape)
    assert after[0] != before[0]
    assert after[1] != before[1]


@pytest.mark.parametrize("path", RUNTIMES)
def test_every_field_of_the_configuration_makes_another_revision(path: str) -> None:
    runtime = RUNTIMES[path].model_dump(by_alias=True, exclude_defaults=True)
    shape = PodShape.model_validate({**BASE, "runtime": runtime})
    before = hash_and_template(PodShape.model_validate(BASE))
    after = hash_and_template(shape)
    assert after[0] != before[0]
    assert after[1] != before[1]


@pytest.mark.parametrize("path", NOT_OF_A_POD)
def test_no_other_field_makes_another_revision(path: str) -> None:
    spec = SPECS[path]
    assert isinstance(spec, DocParserDeploymentSpec)
    assert content_of(shape_of(spec)) == content_of(PodShape.model_validate(BASE))


def test_there_are_fields_that_shape_no_pod() -> None:
    assert {"replicas", "service.port", "rollout.strategy"} <= set(NOT_OF_A_POD)


class NewRuntimeConfig(RuntimeConfig):
    new_limit: int = Field(7, ge=1)


class NewGroup(ApiModel):
    some: int = 5


class NewPodShape(PodShape):
    runtime: NewRuntimeConfig = NewRuntimeConfig()
    group: NewGroup = NewGroup()


def test_a_new_field_with_a_default_makes_no_other_revision() -> None:
    given = {**BASE, "runtime": {"maxPages": 7}}
    before = hash_and_template(PodShape.model_validate(given))
    assert hash_and_template(NewPodShape.model_validate(given)) == before


def test_a_default_that_is_spelled_out_makes_no_other_revision() -> None:
    spelled = {**BASE, "runtime": {"maxConcurrency": 2}, "scheduling": {}, "env": None}
    assert hash_and_template(PodShape.model_validate(spelled)) == hash_and_template(
        PodShape.model_validate(BASE)
    )


def test_the_hash_of_a_known_content_stays() -> None:
    # A new version of the operator that fails here would restart every pod.
    assert hash_of(content_of(PodShape.model_validate(BASE))) == "460bbc2c22"


def seen(number: int, outcome: Outcome | None = None, image: str = IMAGE) -> Revision:
    """Return a revision of a spec with `image` that was asked for as `number`."""
    made = wanted_revision(a_parser().with_image(image).built(), {})
    return Revision(made.hash, made.shape, made.template, (Observation(number, 1, "1"),), outcome)


FAILED = Outcome("Failed", "2026-01-01T00:00:00Z", "CrashLoop", "exit code 1", "first")


def test_a_first_revision_is_number_one() -> None:
    parser = a_parser().with_generation(4).built()
    assert wanted_revision(parser, {}).observations == (Observation(1, 4, "1"),)


def test_the_latest_revision_is_not_counted_again() -> None:
    known = seen(3)
    assert wanted_revision(a_parser().built(), {known.hash: known}) == known


def test_a_revision_that_comes_back_keeps_its_hash_and_gets_a_number() -> None:
    old, latest = seen(1), seen(2, image="example.org/runtime:2")
    found = wanted_revision(a_parser().built(), {old.hash: old, latest.hash: latest})
    assert found.hash == old.hash
    assert [o.number for o in found.observations] == [1, 3]
    assert found.number == 3


def test_a_revision_that_comes_back_keeps_its_template() -> None:
    old, latest = seen(1), seen(2, image="example.org/runtime:2")
    rendered_before = Revision(old.hash, old.shape, {"metadata": {}}, old.observations)
    known = {old.hash: rendered_before, latest.hash: latest}
    assert wanted_revision(a_parser().built(), known).template == {"metadata": {}}


def test_a_failed_revision_that_comes_back_may_try_again() -> None:
    old, latest = seen(1, FAILED), seen(2, image="example.org/runtime:2")
    found = wanted_revision(a_parser().built(), {old.hash: old, latest.hash: latest})
    assert found.outcome is None


def test_to_and_fro_for_ever_does_not_fill_the_annotation() -> None:
    parsers = [a_parser().with_image(f"example.org/runtime:{n}").built() for n in (1, 2)]
    known: dict[str, Revision] = {}
    for turn in range(3 * MAX_OBSERVATIONS):
        found = wanted_revision(parsers[turn % 2], known)
        known[found.hash] = found
    assert all(len(revision.observations) == MAX_OBSERVATIONS for revision in known.values())
    assert max(revision.number for revision in known.values()) == 3 * MAX_OBSERVATIONS


@pytest.mark.parametrize(
    ("outcome", "retry", "failed"),
    [
        (None, "", False),
        (Outcome("Succeeded", ""), "", False),
        (FAILED, "first", True),
        (FAILED, "second", False),
        (FAILED, None, False),
    ],
)
def test_a_failed_revision_waits_for_another_value_of_the_annotation(
    outcome: Outcome | None, retry: str | None, *, failed: bool
) -> None:
    parser = (
        a_parser() if retry is None else a_parser().with_annotation(names.ANNOTATION_RETRY, retry)
    )
    assert is_failed(seen(1, outcome), parser.built()) is failed


def test_the_latest_of_the_others_are_kept() -> None:
    known = {f"h{n}": Revision(f"h{n}", {}, {}, (Observation(n, 1, ""),)) for n in range(1, 7)}
    assert superfluous(known, {"h1", "h6"}, 2) == ["h3", "h2"]
    assert superfluous(known, {"h1", "h6"}, 0) == ["h5", "h4", "h3", "h2"]
    assert superfluous(known, set(), 10) == []


def test_a_revision_survives_being_stored() -> None:
    revision = seen(5, FAILED)
    assert from_controller_revision(controller_revision(OWNER, revision)) == revision


def test_spoilt_annotations_count_as_lost() -> None:
    manifest = controller_revision(OWNER, seen(5, FAILED))
    manifest["metadata"]["annotations"] = {
        names.ANNOTATION_OBSERVATIONS: '[{"number": "x"}]',
        names.ANNOTATION_OUTCOME: "{",
    }
    manifest["metadata"]["labels"] = {}
    found = from_controller_revision(manifest)
    assert (found.hash, found.number, found.outcome) == (seen(5).hash, 5, None)
