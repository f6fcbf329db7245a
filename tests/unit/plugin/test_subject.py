from dataclasses import dataclass, field

import pytest
from docparser_kubectl.errors import Failure, Refused
from docparser_kubectl.subject import load, named
from docparser_operator import kinds
from docparser_operator.kinds import Kind, Manifest

from .cases import OLD, record, serving, workload

LONGEST = "a" * 52


@dataclass
class Shelf:
    """A cluster that holds what it was given."""

    objects: dict[Kind, list[Manifest]] = field(default_factory=dict)
    refusal: Refused | None = None
    namespace: str = "default"

    def get(self, kind: Kind, name: str) -> Manifest:
        for item in self.objects.get(kind, []):
            if item["metadata"]["name"] == name:
                return item
        raise self.refusal or Refused(404, f'{kind.plural}.docparser.dev "{name}" not found')

    def list(self, kind: Kind, selector: str = "", *, everywhere: bool = False) -> list[Manifest]:
        assert not everywhere
        assert selector == "docparser.dev/deployment=reader"
        return self.objects.get(kind, [])


@pytest.mark.parametrize(
    "text",
    ["a", "dpd/a", "DPD/a", "docparserdeployment/a", "docparserdeployments.docparser.dev/a"],
)
def test_a_name_may_bear_its_kind(text: str) -> None:
    assert named(text) == "a"


@pytest.mark.parametrize("text", ["", "A", "a_b", "-a", "a-", "1a", "pod/a", "dpd/", LONGEST + "a"])
def test_what_cannot_be_a_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"name|kind"):
        named(text)


def test_the_longest_name_is_one() -> None:
    assert named(LONGEST) == LONGEST


def test_an_object_comes_with_its_children() -> None:
    deployment, pod = workload(OLD, 1)
    shelf = Shelf(
        {
            kinds.DOC_PARSER: [serving().body()],
            kinds.CONTROLLER_REVISION: [record(OLD)],
            kinds.DEPLOYMENT: [deployment],
            kinds.POD: [pod],
        }
    )
    found = load(shelf, "reader")
    assert found.label(OLD.hash) == f"1 ({OLD.hash})"
    assert found.label("other") == "other"
    assert found.label(None) == "none"
    assert found.observed.pod_count(OLD.hash) == 1
    assert found.created == {OLD.hash: "2026-01-01T10:00:00Z"}


def test_an_object_that_does_not_exist_is_named() -> None:
    with pytest.raises(Failure, match="dpd/reader does not exist in namespace default"):
        load(Shelf(), "reader")


def test_a_cluster_without_the_kind_is_told_from_a_missing_object() -> None:
    unknown = Refused(404, "/apis/docparser.dev/v1alpha1/x: 404 page not found")
    with pytest.raises(Failure, match="install the operator first"):
        load(Shelf(refusal=unknown), "reader")


def test_other_refusals_keep_their_words() -> None:
    with pytest.raises(Failure, match=r"^you may not$"):
        load(Shelf(refusal=Refused(403, "you may not")), "reader")
