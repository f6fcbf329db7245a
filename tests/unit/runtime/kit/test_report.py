"""The report as a page and as JSON."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from docparser_runtime.kit.accuracy import Accuracy, above, accuracy
from docparser_runtime.kit.classes import ClassFigures
from docparser_runtime.kit.figures import Latency, Level, Recommendation
from docparser_runtime.kit.markup import Markup, element
from docparser_runtime.kit.report import About, ErrorKind, Failure, Report, error_kinds
from docparser_runtime.kit.report_page import page
from docparser_runtime.kit.samples import Sample

EVIL = "<script>alert('1')</script>\"&"
REPORT = Report(
    made_at="2026-01-01T00:00:00+00:00",
    service="http://localhost:8080",
    about=About("fake", "fake", "1.0"),
    samples=2,
    accuracy={"table": Accuracy(1, 0.0123, 1.0, None, "table__a.pdf")},
    latency=Latency(3, 0.25, 1.5),
    classes={
        "table": ClassFigures(Latency(3, 0.25, 1.5), 3, 0.25, None, None, None, {}, 0, 0),
        "scan": ClassFigures(Latency(1, 2.5, 2.5), 2, 1.25, 256.0, 1234.4, 987.6, {"low": 2}, 2, 1),
    },
    levels=(Level(1, 4.0, Latency(3, 0.25, 1.5), 1.0), Level(2, 0.0, None, 0.0, 5)),
    recommendation=Recommendation(1, reaches_best=True),
    peaks={"process_resident_memory_bytes": 512 * 1024 * 1024.0},
    errors=(),
)


class Tags(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_elements_escape_all_but_elements() -> None:
    inner = element("td", EVIL, title=EVIL)
    outer = element("tr", inner, class_="a", aria_label="b")
    assert outer.source.startswith('<tr class="a" aria-label="b"><td title="&lt;script&gt;')
    assert "<script" not in outer.source
    assert Tags(outer.source).text == EVIL
    assert element("meta", name="x") == Markup('<meta name="x">')


def test_the_page_shows_what_was_found() -> None:
    text = Tags(page(REPORT)).text
    for part in ("1.23%", "table__a.pdf", "250 ms", "1.50 s", "512 MiB", "Recommended: 1,"):
        assert part in text
    assert "Every request was answered." in text


def test_layout_classes_have_columns_for_what_is_known_of_one() -> None:
    text = Tags(page(REPORT)).text
    for part in ("table3", "scan122.50 s2.50 s1.25 s2561,234988low 221", "Pages by tier"):
        assert part in text
    plain = replace(REPORT, classes={"table": REPORT.classes["table"]})
    for part in ("tokens", "tier,", "Pages lowered", "Pages cut off"):
        assert part not in Tags(page(plain)).text


def test_the_page_needs_nothing_from_elsewhere() -> None:
    source = page(REPORT)
    found = Tags(source)
    assert {"script", "link", "img", "iframe"}.isdisjoint(found.names)
    assert {"src", "href", "style"}.isdisjoint(found.attributes)
    assert not re.search(r"url\(|@import", source)
    assert "default-src 'none'" in re.sub("&#x27;", "'", source)


def test_names_that_others_chose_do_nothing() -> None:
    evil = replace(
        REPORT,
        service=EVIL,
        about=About(EVIL, EVIL, EVIL),
        errors=(ErrorKind(EVIL, 1, (EVIL,)),),
        peaks={EVIL: 1.0},
    )
    assert Tags(page(evil)).names.count("script") == 0
    assert Tags(page(evil)).text.count(EVIL) == 7


def test_a_report_of_nothing_is_a_page_too() -> None:
    empty = replace(
        REPORT, accuracy={}, latency=None, classes={}, levels=(), recommendation=None, peaks={}
    )
    text = Tags(page(empty)).text
    for part in ("No sample has its expected text", "No request was answered", "no metrics"):
        assert part in text


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"errors": (ErrorKind("timeout", 2, ("a.pdf",)),)}, "2 requests failed."),
        ({"most_errors": 0.01, "above_limit": ("table",)}, "above 1.00%: table."),
    ],
)
def test_what_is_not_good_is_told(changes: dict[str, object], verdict: str) -> None:
    bad = replace(REPORT, **changes)  # type: ignore[arg-type]
    assert not bad.is_good
    assert verdict in Tags(page(bad)).text
    assert json.loads(bad.as_json())["good"] is False


def test_json_holds_all() -> None:
    found = json.loads(REPORT.as_json())
    assert found["good"] is True
    assert found["accuracy"]["table"]["worst"] == "table__a.pdf"
    assert found["classes"]["scan"]["tiers"] == {"low": 2}
    assert found["levels"][1] == {
        "clients": 2,
        "pages_per_second": 0.0,
        "latency": None,
        "p99_slowdown": 0.0,
        "refused": 5,
        "failed": 0,
    }


def test_errors_by_kind() -> None:
    failures = [Failure("b", "timeout"), Failure("a", "x"), Failure("a", "x"), Failure("c", "x")]
    assert error_kinds(failures) == (
        ErrorKind("x", 3, ("a", "c")),
        ErrorKind("timeout", 1, ("b",)),
    )


def test_accuracy_by_class() -> None:
    samples = [
        Sample(Path("table__a.pdf"), "table", "| a | b |\n|---|---|\n| c | d |"),
        Sample(Path("plain__a.pdf"), "plain", "abcdefghij"),
        Sample(Path("plain__b.pdf"), "plain", "abcdefghij"),
        Sample(Path("plain__c.pdf"), "plain"),
    ]
    found = accuracy(samples, {"plain__a.pdf": "abcdefghiX", "plain__c.pdf": "anything"})
    assert found["plain"] == Accuracy(2, (0.1 + 1) / 2, 0.5, None, "plain__b.pdf")
    assert found["table"] == Accuracy(1, 1.0, 0.0, 0.0, "table__a.pdf")
    assert above(found, 0.55) == ("table",)
    assert above(found, 0.5) == ("plain", "table")
