"""Every test of what both clients do runs with each."""

import pytest
from unit.runtime.client.scripts import Asking, Awaited, Waiting


@pytest.fixture(params=[Waiting, Awaited], ids=["waits", "awaited"])
def client(request: pytest.FixtureRequest) -> Asking:
    asking: Asking = request.param()
    return asking
