import pytest
from docparser_api.golden import Fault, GoldenFault, GoldenReport, line_of, outcome_of


def test_outcomes_keep_their_kind() -> None:
    fault = GoldenFault(error=Fault(code="no_documents", message="none"))
    report = GoldenReport(documents=0, classes={})
    assert outcome_of(line_of(fault)) == fault
    assert outcome_of(line_of(report)) == report
    assert line_of(fault) == '{"version":1,"error":{"code":"no_documents","message":"none"}}'


def test_a_report_reads_as_the_operator_expects() -> None:
    values = {"canary": 0.5, "stable": 0.25, "difference": 0.25, "lower": 0.1, "upper": 0.4}
    line = line_of(
        GoldenReport.model_validate(
            {
                "documents": 1,
                "classes": {
                    "table": {
                        "documents": 1,
                        "characterErrorRate": values,
                        "readingOrder": values,
                    }
                },
                "failures": [{"document": "table__x", "side": "canary", "code": "timeout"}],
            }
        )
    )
    assert line.startswith('{"version":1,"documents":1,"classes":{"table":{"documents":1,')
    assert '"characterErrorRate":{"canary":0.5,"stable":0.25,"difference":0.25,' in line
    assert "tableSimilarity" not in line


@pytest.mark.parametrize("line", ["", "Killed", "[]", '{"version":2,"documents":0,"classes":{}}'])
def test_anything_else_is_no_outcome(line: str) -> None:
    with pytest.raises(ValueError, match="validation error"):
        outcome_of(line)
