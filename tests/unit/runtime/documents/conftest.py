"""Readers and processes that several tests share."""

import asyncio
import gc
from collections.abc import Iterator

import pytest
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.parser_child.limits import Limits
from unit.runtime.documents.many_documents import ManyDocuments, many_documents
from unit.runtime.documents.opener import Opener
from unit.runtime.documents.parsers import children, own_files


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
    """Return one reader for all tests that only open documents."""
    # A loop of its own, not the current one of this thread, which is pytest-asyncio's.
    loop = asyncio.new_event_loop()
    reader = SubprocessReader(config)
    loop.run_until_complete(reader.start())
    yield Opener(loop, reader)
    loop.run_until_complete(reader.close())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.fixture(scope="session")
def confined(config: RuntimeConfig) -> Iterator[ManyDocuments]:
    """One confined process for all documents that it survives."""
    limits = Limits(
        memory_bytes=config.parser_memory_bytes,
        page_cpu_seconds=20,
        pages=config.max_pages,
        page_pixels=config.max_page_pixels,
        dpi=config.render_dpi,
    )
    with many_documents(limits) as documents:
        yield documents


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Fail when a process, zombie or descriptor is left that was not there before.

    What was there before may go meanwhile: earlier tests' connections end when they are collected.
    """
    gc.collect()
    processes, files = children(), own_files()
    yield
    gc.collect()
    assert children() <= processes
    assert own_files() <= files
