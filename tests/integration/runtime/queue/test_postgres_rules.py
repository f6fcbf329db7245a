"""PostgreSQL keeps the rules that the unit tests try on SQLite."""

import pytest
from support.queue_checks import SUBMITTING, Check
from support.queue_end_checks import ELSEWHERE, ENDING
from support.queue_track_checks import TRACKING
from support.queue_work_checks import WORKING
from support.queues import QueueBench


@pytest.mark.parametrize(
    "check", [*SUBMITTING, *WORKING, *ENDING, *TRACKING], ids=lambda check: str(check.__name__)
)
async def test_rule(check: Check, postgres_bench: QueueBench) -> None:
    await check(postgres_bench)


@pytest.mark.parametrize("check", ELSEWHERE, ids=lambda check: str(check.__name__))
async def test_rule_between_processes(check: Check, bench: QueueBench) -> None:
    await check(bench)
