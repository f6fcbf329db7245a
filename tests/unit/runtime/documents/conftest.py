"""One reader, on one event loop, for all tests that only open documents."""

import asyncio
from collections.abc import Iterator

import pytest
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader
from unit.runtime.documents.opener import Opener


@pytest.fixture(scope="session")
def config() -> RuntimeConfig:
    return RuntimeConfig(
        max_pages=12,
        max_page_pixels=4_000_000,
        render_dpi=72,
        page_timeout_seconds=2,
        parser_memory_bytes=256 * 1024**2,
    )


@pytest.fixture(scope="session")
def opener(config: RuntimeConfig) -> Iterator[Opener]:
    with asyncio.Runner() as runner:
        reader = SubprocessReader(config)
        runner.run(reader.start())
        yield Opener(runner, reader)
        runner.run(reader.close())
