"""Names that objects can have."""

import pytest
from docparser_runtime.storage.object_names import InvalidName, checked, checked_prefix


@pytest.mark.parametrize("name", ["a/b", "job-1_x/upload/0.pdf", "A/b..c", "-/_", "a/" + "b" * 200])
def test_names(name: str) -> None:
    assert checked(name) == name
    assert checked_prefix(f"{name}/") == f"{name}/"


BAD_NAMES = [
    "", "a", "/a/b", "a/", "a//b", "../b", "a/..", "a/../b", "a/./b", ".a/b", "a/.b", "a\\b/c",
    "a b/c", "a/b\n", "a/\0", "ä/b", "a/b?c", "a/%2e%2e", "C:/b", "a/" + "b" * 201,
    "/".join(["ab"] * 200), "\u0660/b",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidName):
        checked(name)


@pytest.mark.parametrize("prefix", ["", "/", "a", "a/..", "../", "a/../", "./", ".partial/", "a//"])
def test_other_prefixes_are_refused(prefix: str) -> None:
    with pytest.raises(InvalidName):
        checked_prefix(prefix)
