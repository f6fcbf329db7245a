"""The rules of the queue on SQLite; the integration tests try the same ones on PostgreSQL."""

import pytest
from support.queue_checks import SUBMITTING, Check
from support.queue_end_checks import ENDING
from support.queue_track_checks import TRACKING
from support.queue_work_checks import WORKING
from support.queues import QueueBench


@pytest.mark.parametrize(
    "check", [*SUBMITTING, *WORKING, *ENDING, *TRACKING], ids=lambda check: str(check.__name__)
)
async def test_rule(check: Check, bench: QueueBench) -> None:
    await check(bench)
