"""Metrics, spans and events that docs/observability.md names are those of the sources."""

import re

import pytest
from support.documents import REPOSITORY
from support.exposed_metrics import exposed_metrics, operator_metrics

TEXT = (REPOSITORY / "docs/observability.md").read_text()
DOCUMENT = re.sub(r"^```.*?^```$", "", TEXT, flags=re.DOTALL | re.MULTILINE)
SOURCES = [path.read_text() for path in REPOSITORY.glob("runtime/docparser_runtime/**/*.py")]


def section(heading: str) -> str:
    """Return what stands below a heading."""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)
    assert found, heading
    return found[1]


def first_cells(text: str) -> list[str]:
    """Return the words between backticks in the first column of the tables."""
    return [
        word for cell in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for word in spelled(cell)
    ]


def spelled(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.mark.parametrize(
    ("heading", "exposed"),
    [("Metrics", exposed_metrics()), ("Metrics of the operator", operator_metrics())],
)
def test_all_metrics_are_documented_with_their_kind(heading: str, exposed: dict[str, str]) -> None:
    rows = re.findall(r"^\| `(docparser_\w+)` \| (\w+) \|", section(heading), re.MULTILINE)
    assert dict(rows) == exposed
    assert len(rows) == len(exposed)


def test_all_spans_are_documented() -> None:
    begun = r'(?:spans\.step|start_span)\(\s*"([a-z ]+)"'
    written = {name for source in SOURCES for name in re.findall(begun, source)}
    assert len(written) >= 8
    assert sorted(first_cells(section("Traces"))) == sorted(written)


def test_all_attributes_are_documented() -> None:
    quoted = r'"((?:docparser|http)\.[a-z._]+|error\.type)"'
    written = {
        name
        for source in SOURCES
        if "tracing" in source
        for name in re.findall(quoted, source)
        if name != "http.response.start"  # a message of ASGI
    }
    words = {word for word in spelled(section("Traces")) if re.fullmatch(r"[a-z]+\.[a-z._]+", word)}
    assert {*written} - {"docparser.role"} <= words
    assert "docparser.role" in words


def test_events_that_are_documented_are_written() -> None:
    events = first_cells(section("Logs"))
    assert len(events) >= 10
    written = "\n".join(SOURCES)
    assert [name for name in events if not re.search(rf'\(\s*"{name}"', written)] == []
