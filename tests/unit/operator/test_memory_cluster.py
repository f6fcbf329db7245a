"""The double keeps the promises that the operator relies on in a real API server."""

import pytest
from support.conformance import CHECKS, Backend, Check
from support.fake_clock import FakeClock
from support.memory_cluster import MemoryCluster


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
async def test_conformance(check: Check) -> None:
    cluster = MemoryCluster(FakeClock())
    await check(Backend(cluster, "default", cluster.edit, cluster.submit))
