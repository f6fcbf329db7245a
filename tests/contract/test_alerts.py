"""Alert rules ask for what is exposed, and each has its chapter in the runbooks."""

import re

import pytest
from docparser_api.status import ConditionType, Reason
from docparser_runtime import task_errors
from docparser_runtime.errors import DocParserError
from support.alerts import Rule, grouped_by, rules, selectors
from support.documents import REPOSITORY
from support.exposed_metrics import labels_of_metrics

ALERTS, RECORDS = rules("alert"), rules("record")
RUNBOOKS = (REPOSITORY / "docs/runbooks.md").read_text()
OBSERVABILITY = (REPOSITORY / "docs/observability.md").read_text()
RUNBOOK_PAGE = "https://docparser.dev/docs/runbooks/"
# Labels that a scrape gives, as docs/observability.md asks for them.
OF_SCRAPES = {"namespace", "pod", "deployment", "revision"}
SERIES = labels_of_metrics() | {"process_start_time_seconds": set()}
SERIES |= {record.body["record"]: set() for record in RECORDS}
KINDS: list[type[DocParserError]] = [DocParserError, *DocParserError.__subclasses__()]
CODES = {kind.code for kind in KINDS}
VALUES: dict[str, set[str]] = {"type": set(ConditionType), "reason": set(Reason), "code": CODES}

every_rule = pytest.mark.parametrize(
    "rule", [*ALERTS, *RECORDS], ids=lambda rule: rule.body.get("alert") or rule.body["record"]
)
every_alert = pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule.alert)


def test_codes_are_found() -> None:
    assert task_errors.Poison.code in CODES
    assert len(CODES) > 30


@every_rule
def test_series_and_their_labels_exist(rule: Rule) -> None:
    found = selectors(rule.expression)
    assert found
    for selector in found:
        assert selector.metric in SERIES
        assert set(selector.matchers) <= SERIES[selector.metric] | OF_SCRAPES


@every_rule
def test_conditions_reasons_and_codes_exist(rule: Rule) -> None:
    for selector in selectors(rule.expression):
        for label, known in VALUES.items():
            assert selector.matchers.get(label, set()) <= known


@every_rule
def test_labels_that_rules_group_by_exist(rule: Rule) -> None:
    known = set.union(OF_SCRAPES, *(SERIES[s.metric] for s in selectors(rule.expression)))
    assert grouped_by(rule.expression) <= known


@every_alert
def test_texts_show_labels_that_the_alert_has(rule: Rule) -> None:
    recorded = {"namespace", "deployment"} if "docparser:" in rule.expression else set()
    assert rule.labels_of_texts <= grouped_by(rule.expression) | recorded


@every_alert
def test_alerts_are_graded_and_explained(rule: Rule) -> None:
    assert rule.body["labels"].keys() == {"severity"}
    assert rule.body["labels"]["severity"] in {"critical", "warning", "info"}
    assert set(rule.body["annotations"]) == {"summary", "description", "runbook_url"}
    assert rule.body["annotations"]["runbook_url"] == f"{RUNBOOK_PAGE}#{rule.alert.lower()}"


def test_each_alert_has_its_runbook_and_no_other_has_one() -> None:
    chapters = re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", RUNBOOKS, re.MULTILINE | re.DOTALL)
    assert sorted(name for name, _text in chapters) == sorted(rule.alert for rule in ALERTS)
    for name, text in chapters:
        parts = re.findall(r"^- \*\*(\w+):\*\*", text, re.MULTILINE)
        assert parts == ["Means", "Look", "Do"], name


def test_every_alert_has_a_name_of_its_own() -> None:
    assert len({rule.alert for rule in ALERTS}) == len(ALERTS) > 30


def test_each_alert_is_listed_with_its_severity() -> None:
    listed = re.findall(
        r"^\| \[(\w+)\]\(runbooks\.md#\w+\) \| (\w+) \|", OBSERVABILITY, re.MULTILINE
    )
    assert sorted(listed) == sorted((r.alert, r.body["labels"]["severity"]) for r in ALERTS)
