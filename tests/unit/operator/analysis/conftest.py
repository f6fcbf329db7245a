from collections.abc import AsyncIterator

import pytest
from docparser_operator.analysis.fetch import HttpFetch
from unit.operator.analysis.pods import Servers


@pytest.fixture
async def servers() -> AsyncIterator[Servers]:
    made = Servers()
    yield made
    await made.close()


@pytest.fixture
async def fetch() -> AsyncIterator[HttpFetch]:
    made = HttpFetch()
    yield made
    await made.close()
