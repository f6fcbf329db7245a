"""One reader for all tests that only open documents: its processes are used once anyway."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader


@pytest.fixture(scope="session")
def config() -> RuntimeConfig:
    return RuntimeConfig(
        max_pages=12,
        max_page_pixels=4_000_000,
        render_dpi=72,
        page_timeout_seconds=2,
        parser_memory_bytes=256 * 1024**2,
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def reader(config: RuntimeConfig) -> AsyncIterator[SubprocessReader]:
    reader = SubprocessReader(config)
    await reader.start()
    yield reader
    await reader.close()
