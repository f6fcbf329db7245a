"""What the documents name exists."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
FOLDERS = (
    "crds",
    "operator",
    "plugin",
    "runtime",
    "charts",
    "examples",
    "tests",
    "docs",
    "docs_site",
)
NAMED = re.compile(rf"\b(?:{'|'.join(FOLDERS)})/[\w./*-]*[\w*]")
DOCUMENTS = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")])


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_files_that_exist(path: Path) -> None:
    named = set(NAMED.findall(path.read_text()))
    assert [name for name in sorted(named) if not list(REPOSITORY.glob(name))] == []


def test_make_targets_that_documents_name_exist() -> None:
    targets = set(
        re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
    )
    for path in DOCUMENTS:
        named = set(re.findall(r"`make ([a-z0-9-]+)", path.read_text()))
        assert named <= targets, f"{path.name} names {named - targets}"


def anchors(path: Path) -> set[str]:
    """The headings of a document, as GitHub makes anchors of them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", path.read_text()):
        place, _, anchor = target.partition("#")
        found = (path.parent / place).resolve() if place else path
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target
