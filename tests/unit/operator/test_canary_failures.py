"""How a revision that goes through its steps is given up."""

from dataclasses import replace

import pytest
from docparser_api.status import AnalysisStatus, Measurement, Reason
from docparser_operator.situation import Failure
from docparser_operator.steps import Requests
from support.builders import a_workload, observed_of
from unit.operator.canary_case import ALL, CANARY, ONE, TRIED, at
from unit.operator.rollout_case import Case, ago, check


def judged(verdict: str, *names: str) -> AnalysisStatus:
    found = [Measurement(name=name, verdict="Fail", message=f"{name} is bad") for name in names]
    return AnalysisStatus.model_validate(
        {"verdict": verdict, "changed_at": ago(1), "measurements": found}
    )


GIVEN_UP = {
    "the analysis fails": Case(
        ONE,
        {
            "failure": Failure(Reason.ANALYSIS_FAILED, "errorRate: errorRate is bad"),
            "serving": "old",
            "sizes": {"old": 3, "new": 0},
            "stepping": False,
        },
        progress={"failed_at": ago(0), "weight": 0, "analysis": judged("Fail", "errorRate")},
        more={"analysis": judged("Fail", "errorRate")},
    ),
    "its pods restart": Case(
        ONE,
        {"failure": Failure(Reason.TOO_MANY_RESTARTS, "restarts: restarts is bad")},
        more={"analysis": judged("Fail", "restarts")},
    ),
    "nobody can promote what fails": Case(
        ALL,
        {"failed": True, "stable": "old"},
        more={"analysis": judged("Fail", "loopRate"), "requests": Requests(promote="all")},
    ),
    "somebody gives it up": Case(
        ONE,
        {
            "failure": Failure(Reason.ABORTED, "the annotation docparser.dev/abort asked for it"),
            "sizes": {"old": 3, "new": 0},
        },
        more={"requests": Requests(aborted=True, paused=True)},
        progress={"pause": None},
    ),
    "requests stay with it until the serving revision can take them": Case(
        observed_of(a_workload("old", 3, available=1), a_workload("new", 1)),
        {"failed": True, "serving": None, "sizes": {"old": 3, "new": 1}},
        rollout=at(TRIED, weight=50),
        progress={"weight": 50},
        more={"requests": Requests(aborted=True)},
    ),
    "a gateway keeps their share until then": Case(
        observed_of(a_workload("old", 3, available=1), a_workload("new", 1)),
        {"failed": True, "serving": "old", "sizes": {"old": 3, "new": 1}},
        rollout=at(TRIED, weight=40),
        progress={"weight": 40},
        more={"requests": Requests(aborted=True), "exact": True},
    ),
    "but not with pods that cannot take them either": Case(
        observed_of(a_workload("old", 3, available=1), a_workload("new", 1, available=0)),
        {"serving": "old", "sizes": {"old": 3, "new": 0}},
        rollout=at(TRIED, weight=25),
        more={"requests": Requests(aborted=True)},
    ),
    "then all go back": Case(
        observed_of(a_workload("old", 3, available=2), a_workload("new", 1)),
        {"failed": False, "serving": "old", "sizes": {"old": 3, "new": 0}},
        rollout=at(TRIED, weight=50, failed_at=ago(10)),
        target_failed=True,
        progress={"weight": 0, "failed_at": ago(10)},
    ),
}


@pytest.mark.parametrize("name", GIVEN_UP)
def test_decision(name: str) -> None:
    case = GIVEN_UP[name]
    check(replace(case, rules=CANARY, rollout=case.rollout or at(TRIED)))
