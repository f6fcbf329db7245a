from typing import Any

from docparser_api import names
from docparser_operator.kinds import DEPLOYMENT, DOC_PARSER, Key, Listing, Manifest, Ref
from docparser_operator.store import Store

KEY = Key("default", "reader")
OTHER = Key("default", "other")
REF = Ref(DEPLOYMENT, "default", "reader-1")
OWNER = {
    "apiVersion": names.API_VERSION,
    "kind": names.KIND,
    "name": "reader",
    "uid": "u",
    "controller": True,
}


def a_child(
    version: int, uid: str = "a", label: str | None = "reader", owners: Any = (), **metadata: Any
) -> Manifest:
    labels = {names.LABEL_DEPLOYMENT: label} if label else {}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "reader-1",
            "namespace": "default",
            "uid": uid,
            "resourceVersion": str(version),
            "labels": labels,
            "ownerReferences": list(owners),
            **metadata,
        },
    }


def a_resource(version: int, uid: str = "r", **metadata: Any) -> Manifest:
    body = a_child(version, uid, **metadata)
    what = {"apiVersion": names.API_VERSION, "kind": names.KIND}
    return {**body, **what, "metadata": {**body["metadata"], "name": "reader"}}


def versions(store: Store) -> list[str]:
    return [child["metadata"]["resourceVersion"] for child in store.children(KEY)]


def test_the_newest_version_wins_whoever_tells_it_last() -> None:
    store = Store()
    assert store.put(a_child(5)) == {KEY}
    assert store.put(a_child(4)) == set()
    assert store.put(a_child(5)) == set()
    assert store.put(a_child(10)) == {KEY}
    assert versions(store) == ["10"]


def test_versions_are_compared_as_numbers() -> None:
    store = Store()
    store.put(a_child(9))
    store.put(a_child(10))
    assert versions(store) == ["10"]


def test_an_answer_that_arrives_after_the_end_makes_no_ghost() -> None:
    store = Store()
    store.put(a_child(5))
    assert store.remove(a_child(8)) == {KEY}
    assert store.put(a_child(7)) == set()
    assert store.children(KEY) == []


def test_an_object_that_lost_and_regained_its_label_comes_back() -> None:
    store = Store()
    store.put(a_child(5))
    store.remove(a_child(6))  # so a watch by label tells it
    assert store.put(a_child(7)) == {KEY}


def test_an_object_that_lost_its_label_may_be_learnt_by_reading_it() -> None:
    store = Store()
    store.put(a_child(5))
    store.remove(a_child(6))
    assert store.put(a_child(6, label=None, owners=[OWNER])) == {KEY}


def test_a_late_end_of_an_earlier_version_is_no_news() -> None:
    store = Store()
    store.put(a_child(7))
    assert store.remove(a_child(6)) == set()
    assert versions(store) == ["7"]


def test_the_end_of_a_namesake_does_not_concern_its_successor() -> None:
    store = Store()
    store.put(a_child(5, uid="a"))
    store.put(a_child(9, uid="b"))
    assert store.remove(a_child(8, uid="a")) == set()
    assert versions(store) == ["9"]


def test_the_end_of_something_unknown_is_no_news() -> None:
    assert Store().remove(a_child(3)) == set()


def test_a_child_that_loses_its_label_wakes_its_owner() -> None:
    store = Store()
    store.put(a_child(5))
    assert store.put(a_child(6, label=None)) == {KEY}
    assert store.children(KEY) == []


def test_a_child_that_loses_its_label_is_known_by_its_owner() -> None:
    store = Store()
    store.put(a_child(5, owners=[OWNER]))
    assert store.put(a_child(6, label=None, owners=[OWNER])) == {KEY}
    assert versions(store) == ["6"]


def test_a_child_that_changes_hands_wakes_both() -> None:
    store = Store()
    store.put(a_child(5))
    assert store.put(a_child(6, label="other")) == {KEY, OTHER}
    assert store.children(KEY) == []
    assert len(store.children(OTHER)) == 1


def test_the_owner_counts_more_than_the_label() -> None:
    store = Store()
    assert store.put(a_child(5, label="other", owners=[OWNER])) == {KEY}


def test_a_resource_is_no_child_even_with_a_label() -> None:
    store = Store()
    assert store.put(a_resource(5)) == {KEY}
    assert store.children(KEY) == []
    assert store.resources() == [KEY]
    assert store.resource(KEY) is not None


def test_managed_fields_are_not_kept() -> None:
    store = Store()
    store.put(a_child(5, managedFields=[{"manager": "x"}]))
    assert "managedFields" not in store.children(KEY)[0]["metadata"]


def test_a_full_list_removes_what_is_gone_and_tells_what_changed() -> None:
    store = Store()
    store.put(a_child(5))
    assert store.replace(DEPLOYMENT, None, Listing([a_child(5)], 20)) == set()
    assert store.replace(DEPLOYMENT, None, Listing([a_child(6)], 21)) == {KEY}
    assert store.replace(DEPLOYMENT, None, Listing([], 30)) == {KEY}
    assert store.get(REF) is None


def test_a_list_knows_nothing_of_what_was_made_while_it_was_sent() -> None:
    store = Store()
    store.put(a_child(25))
    assert store.replace(DEPLOYMENT, None, Listing([], 20)) == set()
    assert versions(store) == ["25"]


def test_an_old_list_does_not_bring_back_what_is_gone() -> None:
    store = Store()
    store.put(a_child(5))
    store.remove(a_child(22))
    assert store.replace(DEPLOYMENT, None, Listing([a_child(5)], 20)) == set()
    assert store.children(KEY) == []


def test_a_list_of_one_namespace_says_nothing_of_another() -> None:
    store = Store()
    store.put(a_child(5))
    assert store.replace(DEPLOYMENT, "elsewhere", Listing([], 20)) == set()
    assert versions(store) == ["5"]


def test_a_list_says_nothing_of_other_kinds() -> None:
    store = Store()
    store.put(a_child(5))
    assert store.replace(DOC_PARSER, None, Listing([], 20)) == set()


def test_a_namesake_in_a_list_replaces_the_one_that_is_gone() -> None:
    store = Store()
    store.put(a_child(5, uid="a"))
    assert store.replace(DEPLOYMENT, None, Listing([a_child(9, uid="b")], 20)) == {KEY}
    assert versions(store) == ["9"]
    assert store.put(a_child(4, uid="a")) == set()
