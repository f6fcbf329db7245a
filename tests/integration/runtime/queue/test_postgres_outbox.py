"""Callbacks beside the queue on PostgreSQL."""

import pytest
from support.outbox_checks import CHECKS
from support.queue_checks import Check
from support.queues import QueueBench


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
async def test_outbox(check: Check, postgres_bench: QueueBench) -> None:
    await check(postgres_bench)
