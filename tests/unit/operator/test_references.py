"""How people name a revision."""

import pytest
from docparser_operator.references import find_revision
from docparser_operator.revisions import Observation, Revision


def seen(name: str, *observations: tuple[int, str]) -> Revision:
    made = tuple(Observation(number, number, version) for number, version in observations)
    return Revision(name, {}, {}, made)


KNOWN = {
    revision.hash: revision
    for revision in (
        seen("aaaa111111", (1, "100"), (4, "400")),
        seen("aabb222222", (2, "200")),
        seen("1234567890", (3, "300")),
        seen("ffff000000", (5, "")),
    )
}
NAMED = {
    "1": "aaaa111111",
    "4": "aaaa111111",
    "2": "aabb222222",
    "aaaa111111": "aaaa111111",
    "aaa": "aaaa111111",
    "aa": None,
    "1234567890": "1234567890",
    "12": "1234567890",
    "3": "1234567890",
    "9": None,
    "": None,
    "0": None,
    "-1": None,
    "previous": None,
    "resourceVersion:99": None,
    "resourceVersion:100": "aaaa111111",
    "resourceVersion:199": "aaaa111111",
    "resourceVersion:250": "aabb222222",
    "resourceVersion:300": "1234567890",
    "resourceVersion:99999": "aaaa111111",
    "resourceVersion:": None,
    "resourceVersion:x": None,
    "resourceversion:300": None,
}


@pytest.mark.parametrize("text", NAMED)
def test_a_revision_is_named_by_number_hash_or_version(text: str) -> None:
    found = find_revision(text, KNOWN)
    assert (found.hash if found else None) == NAMED[text]
