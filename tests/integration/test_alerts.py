"""Prometheus' own tool on the alert rules: each fires, resolves and stays quiet."""

import subprocess

import pytest
from support import prometheus
from support.alerts import RULES, TESTS, promtool_tests, rules

FILES = sorted(TESTS.glob("*.yaml"))


def promtool(*arguments: str) -> None:
    program = prometheus.program().with_name("promtool")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_are_well_formed() -> None:
    promtool("check", "rules", *map(str, RULES))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_alerts_fire_resolve_and_stay_quiet(file: object) -> None:
    promtool("test", "rules", str(file))


def test_each_alert_is_tried_in_all_three_ways() -> None:
    """Before, while and after its cause is there, and beside causes that are none of its."""
    tried = {}
    for file in FILES:
        for one in promtool_tests(file):
            alert, _, what = one["name"].partition(" ")
            looks = [look for look in one["alert_rule_test"] if look["alertname"] == alert]
            fires = [len(look["exp_alerts"]) for look in looks]
            tried[alert, what] = (file.stem, fires)
    expected = {
        (rule.alert, what): (rule.file, fires)
        for rule in rules("alert")
        for what, fires in (("fires and resolves", [0, 1, 0]), ("stays quiet", [0]))
    }
    assert tried == expected
