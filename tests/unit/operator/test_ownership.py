from typing import Any

import pytest
from docparser_api import names
from docparser_operator.ownership import Ownership, ownership
from support.builders import a_parser

OWNER = a_parser().built().metadata
LABELS = {names.LABEL_DEPLOYMENT: "reader", names.LABEL_MANAGED_BY: names.MANAGER}
OURS = {"uid": OWNER.uid, "controller": True}
PREDECESSOR = {"uid": "uid-0", "controller": True}


@pytest.mark.parametrize(
    ("labels", "owners", "wanted"),
    [
        (LABELS, [OURS], Ownership.OURS),
        ({}, [OURS], Ownership.OURS),
        (LABELS, [PREDECESSOR], Ownership.FOREIGN),
        (LABELS, [], Ownership.ORPHAN),
        (LABELS, [{"uid": "x"}], Ownership.ORPHAN),
        ({}, [], Ownership.FOREIGN),
        ({**LABELS, names.LABEL_DEPLOYMENT: "other"}, [], Ownership.FOREIGN),
        ({**LABELS, names.LABEL_MANAGED_BY: "helm"}, [], Ownership.FOREIGN),
    ],
)
def test_whose_an_object_is(
    labels: dict[str, str], owners: list[dict[str, Any]], wanted: Ownership
) -> None:
    live = {"metadata": {"labels": labels, "ownerReferences": owners}}
    assert ownership(live, OWNER) is wanted


def test_an_object_without_labels_and_owners_is_foreign() -> None:
    assert ownership({"metadata": {}}, OWNER) is Ownership.FOREIGN
