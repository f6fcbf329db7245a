"""Callbacks beside the queue on SQLite; the integration tests try the same on PostgreSQL."""

import pytest
from support.outbox_checks import CHECKS
from support.queue_checks import Check
from support.queues import QueueBench


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
async def test_outbox(check: Check, bench: QueueBench) -> None:
    await check(bench)
