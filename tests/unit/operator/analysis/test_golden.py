import pytest
from docparser_api.analysis import GoldenDocuments
from docparser_api.golden import (
    ClassScores,
    Comparison,
    Failure,
    Fault,
    GoldenFault,
    GoldenReport,
    Side,
)
from docparser_api.status import Measurement, Verdict
from docparser_operator.analysis.judge import golden_measurements

RULES = GoldenDocuments()
SAME = Comparison(canary=0.5, stable=0.5, difference=0.0, lower=0.0, upper=0.0)


def compared(lower: float, upper: float) -> Comparison:
    middle = (lower + upper) / 2
    return Comparison(canary=0.5 + middle, stable=0.5, difference=middle, lower=lower, upper=upper)


def a_report(
    characters: Comparison = SAME,
    order: Comparison = SAME,
    tables: Comparison | None = None,
    failures: tuple[Failure, ...] = (),
    left_out: int = 0,
) -> GoldenReport:
    scores = ClassScores(
        documents=20, character_error_rate=characters, reading_order=order, table_similarity=tables
    )
    return GoldenReport(
        documents=20, classes={"table": scores}, failures=failures, failures_left_out=left_out
    )


def measured(report: GoldenReport, name: str) -> Measurement:
    return next(m for m in golden_measurements(report, RULES) if m.name == f"golden/{name}")


def test_each_measure_of_each_class_is_a_check() -> None:
    assert [m.name for m in golden_measurements(a_report(), RULES)] == [
        "golden/all/failures",
        "golden/table/characterErrorRate",
        "golden/table/readingOrder",
    ]
    assert measured(a_report(tables=SAME), "table/tableSimilarity").verdict == "Pass"


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (-0.3, -0.2, "Pass"),
        (-0.1, 0.01, "Pass"),
        (0.0, 0.011, "Inconclusive"),
        (0.01, 0.2, "Inconclusive"),
        (0.011, 0.2, "Fail"),
    ],
)
def test_more_wrong_characters_are_worse(lower: float, upper: float, expected: Verdict) -> None:
    found = measured(a_report(characters=compared(lower, upper)), "table/characterErrorRate")
    assert found.verdict == expected
    assert found.limit == pytest.approx(0.51)
    assert (found.canary, found.samples) == (0.5 + (lower + upper) / 2, 20)


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (0.2, 0.3, "Pass"),
        (-0.02, 0.1, "Pass"),
        (-0.021, 0.0, "Inconclusive"),
        (-0.2, -0.021, "Fail"),
    ],
)
def test_less_order_and_less_alike_tables_are_worse(
    lower: float, upper: float, expected: Verdict
) -> None:
    report = a_report(order=compared(lower, upper), tables=compared(lower, upper))
    for name in ("table/readingOrder", "table/tableSimilarity"):
        found = measured(report, name)
        assert found.verdict == expected
        assert found.limit == pytest.approx(0.48)


def failed(document: str, side: Side) -> Failure:
    return Failure(document=document, side=side, code="engine_failed")


def test_a_document_that_only_the_new_revision_does_not_read_fails() -> None:
    failures = (failed("a", "stable"), failed("a", "canary"), failed("b", "stable"))
    assert measured(a_report(failures=failures), "all/failures").verdict == "Pass"
    found = measured(a_report(failures=(*failures, failed("c", "canary"))), "all/failures")
    assert (found.verdict, found.canary, found.limit, found.samples) == ("Fail", 1, 0, 20)
    assert found.message == "documents that only the new revision fails to read: c (engine_failed)"


def test_few_of_many_failures_are_named() -> None:
    failures = tuple(failed(name * 400, "canary") for name in "abcde")
    found = measured(a_report(failures=failures), "all/failures")
    assert len(found.message) == 512
    failures = tuple(failed(name, "canary") for name in "abcde")
    found = measured(a_report(failures=failures), "all/failures")
    assert found.message.endswith("c (engine_failed), and 2 more")


def test_failures_without_room_in_the_report_are_not_taken_for_none() -> None:
    found = measured(a_report(left_out=3), "all/failures")
    assert found.verdict == "Inconclusive"
    assert "3 failures found no room" in found.message


def test_a_comparison_that_did_not_come_about_is_inconclusive() -> None:
    fault = GoldenFault(error=Fault(code="no_documents", message="the folder is empty"))
    (found,) = golden_measurements(fault, RULES)
    assert (found.name, found.verdict) == ("golden/all/failures", "Inconclusive")
    assert found.message == "no_documents: the folder is empty"
