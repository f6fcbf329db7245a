"""Pure: the report as a page that needs nothing from elsewhere and runs nothing."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from docparser_runtime.kit.class_table import class_table, seconds
from docparser_runtime.kit.figures import GOOD_SHARE, MOST_SLOWDOWN, Level
from docparser_runtime.kit.markup import Markup, element, table
from docparser_runtime.kit.report import Report

_STYLE: Final = """
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #3a424c); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: light-dark(#1b2026, #e6e9ed); background: light-dark(#fff, #15191e); }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
meter { width: 8rem; }
.verdict { padding: .6rem .9rem; border-left: .3rem solid; font-weight: 600; }
.good { color: light-dark(#176b34, #7fd69b); } .bad { color: light-dark(#a3201a, #ff9d96); }
.note { color: light-dark(#57606a, #a4adb8); }
"""
_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'"
)
_MIB: Final = 1024 * 1024


def page(report: Report) -> str:
    """Return the report as HTML."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", "Assessment of a document service"),
        element("style", Markup(_STYLE)),
    )
    body = element("body", element("main", *_summary(report), *_sections(report)))
    return f"<!doctype html>\n{element('html', head, body, lang='en').source}\n"


def _summary(report: Report) -> Iterator[Markup]:
    about = report.about
    yield element("h1", "Assessment of a document service")
    yield element(
        "p",
        f"{report.service}: engine {about.engine}, model {about.model}, version {about.version}. "
        f"{report.samples} samples, tier {report.tier}, {report.made_at}.",
        class_="note",
    )
    yield element("p", _verdict(report), class_="verdict good" if report.is_good else "verdict bad")


def _verdict(report: Report) -> str:
    if report.is_good:
        return "Every request was answered."
    failed = sum(kind.count for kind in report.errors)
    parts = [f"{failed} requests failed."] if failed else []
    if report.above_limit:
        names = ", ".join(report.above_limit)
        parts.append(f"Character error rate above {_percent(report.most_errors)}: {names}.")
    return " ".join(parts)


def _sections(report: Report) -> Iterator[Markup]:
    yield element("h2", "Accuracy")
    yield from _accuracy(report)
    yield element("h2", "Time of one request alone")
    yield element("p", _alone(report))
    if report.classes:
        yield class_table(report.classes)
    yield element("h2", "Clients at the same time")
    yield element("p", _recommended(report))
    if report.levels:
        best = max(level.pages_per_second for level in report.levels)
        head = ("Clients", "Pages/s", "", "P50", "P99", "P99 slowdown", "Refused", "Failed")
        yield table(head, (_level_row(level, best) for level in report.levels))
    yield element("h2", "Memory of the service")
    if report.peaks:
        rows = ((name, f"{value / _MIB:,.0f} MiB") for name, value in sorted(report.peaks.items()))
        yield table(("Metric", "Peak"), rows)
    else:
        yield element("p", "The service shows no metrics of memory.")
    yield element("h2", "Errors")
    if report.errors:
        rows_ = ((kind.code, str(kind.count), ", ".join(kind.files)) for kind in report.errors)
        yield table(("Kind", "Requests", "Files"), rows_)
    else:
        yield element("p", "None.")


def _accuracy(report: Report) -> Iterator[Markup]:
    if not report.accuracy:
        yield element("p", "No sample has its expected text beside it.")
        return
    head = ("Layout", "Documents", "Wrong characters", "Reading order", "Tables", "Worst file")
    yield table(
        head,
        (
            (
                name,
                str(found.documents),
                _percent(found.character_error_rate),
                _percent(found.reading_order),
                _percent(found.table_similarity),
                found.worst,
            )
            for name, found in report.accuracy.items()
        ),
    )


def _alone(report: Report) -> str:
    found = report.latency
    if found is None:
        return "No request was answered."
    return (
        f"P50 {seconds(found.p50_seconds)}, P99 {seconds(found.p99_seconds)}, "
        f"of {found.requests} requests."
    )


def _recommended(report: Report) -> str:
    found = report.recommendation
    if found is None:
        return "No recommendation: one client did not get every answer."
    limit = f"P99 below {MOST_SLOWDOWN:g} times that of one client"
    if found.reaches_best:
        share = f"{GOOD_SHARE:.0%} of the best pages/s"
        return f"Recommended: {found.clients}, the least that reaches {share} with {limit}."
    return (
        f"Recommended: {found.clients}, the fastest with {limit}; more pages/s cost longer waits."
    )


def _level_row(level: Level, best: float) -> Sequence[Markup | str]:
    share = level.pages_per_second / best if best else 0.0
    times = level.latency
    return (
        str(level.clients),
        f"{level.pages_per_second:.2f}",
        element("meter", value=f"{share:.3f}", aria_label="share of the best pages/s"),
        "-" if times is None else seconds(times.p50_seconds),
        "-" if times is None else seconds(times.p99_seconds),
        "-" if times is None else f"{level.p99_slowdown:.2f}",
        str(level.refused),
        str(level.failed),
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"
