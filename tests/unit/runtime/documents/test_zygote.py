"""The process that is copied for each document: what copies get, and what its own end leads to."""

import asyncio
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from docparser_api.runtime import RuntimeConfig
from docparser_runtime import errors
from docparser_runtime.documents.reader import SubprocessReader
from support.sample_document import blank_pdf
from unit.runtime.documents.parsers import (
    children,
    impostor,
    open_files,
    parsers_of,
    reading,
    zygote_of,
)
from unit.runtime.doubles import eventually

pytestmark = pytest.mark.thorough  # real processes and connections, each with its own start

SET_CHILD_SUBREAPER = 36

SERVICE = """
import asyncio, sys
from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader

async def main():
    reader = SubprocessReader(RuntimeConfig(), sys.argv[1:])
    await reader.start()
    print(reader._pool._zygote._process.pid, flush=True)
    async with reader.open(b"%PDF-"):
        pass

asyncio.run(main())
"""


def is_running(process_id: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def kinds_of_descriptors(process_id: int) -> tuple[str, ...]:
    """Return what the open descriptors of a process lead to, numbers left out."""
    paths = Path(f"/proc/{process_id}/fd").iterdir()
    try:
        return tuple(sorted(str(path.readlink()).partition(":")[0] for path in paths))
    except FileNotFoundError:
        # One was closed while they were looked at.
        return ()


async def page_width(reader: SubprocessReader) -> int:
    async with reader.open(blank_pdf()) as document:
        return (await document.page(0)).width


@pytest.fixture
def adopts_orphans() -> Iterator[None]:
    """Make this process what the first one of a container is: the parent of all orphans."""
    prctl = ctypes.CDLL(None).prctl
    assert prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    yield
    assert prctl(SET_CHILD_SUBREAPER, 0, 0, 0, 0) == 0


async def test_documents_share_a_zygote_and_no_process(
    config: RuntimeConfig, nothing_left: None
) -> None:
    seen: set[int] = set()
    async with reading(config) as reader:
        await reader.start()
        zygote = zygote_of(reader)
        for _ in range(5):
            await eventually(lambda: len(parsers_of(reader)) == 1)
            assert not seen & parsers_of(reader)
            seen |= parsers_of(reader)
            assert await page_width(reader) == 596
        assert zygote_of(reader) == zygote
        await eventually(lambda: len(parsers_of(reader)) == 1)


async def test_a_parser_inherits_its_socket_only(config: RuntimeConfig) -> None:
    patient = config.model_copy(update={"page_timeout_seconds": 60})
    async with reading(patient, *impostor()) as reader:
        await reader.start()
        bare = ("/dev/null", "/dev/null", "/dev/null", "socket")
        before = open_files(zygote_of(reader))
        openings = [asyncio.create_task(reader.open(blank_pdf()).__aenter__()) for _ in range(3)]
        await eventually(lambda: len(parsers_of(reader)) == 4)
        # Right after the fork there are those of the zygote, for a moment.
        await eventually(lambda: {*map(kinds_of_descriptors, parsers_of(reader))} == {bare})
        for opening in openings:
            opening.cancel()
        await asyncio.wait(openings)
        await eventually(lambda: len(parsers_of(reader)) == 1)
        await eventually(lambda: open_files(zygote_of(reader)) == before)


async def test_the_end_of_the_zygote_is_not_the_fault_of_documents(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config) as reader:
        async with reader.open(blank_pdf()) as document:
            parsers = parsers_of(reader)
            os.kill(zygote_of(reader), signal.SIGKILL)
            with pytest.raises(errors.ParserUnavailable):
                await document.page(0)
        await eventually(lambda: not any(map(is_running, parsers)))
        assert await page_width(reader) == 596


async def test_a_zygote_that_died_meanwhile_is_replaced(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config) as reader:
        await reader.start()
        dead = zygote_of(reader)
        os.kill(dead, signal.SIGKILL)
        await eventually(lambda: not is_running(dead))
        widths = await asyncio.gather(*(page_width(reader) for _ in range(4)))
        assert widths == [596] * 4
        assert zygote_of(reader) != dead


async def test_orphans_of_a_zygote_are_reaped(
    config: RuntimeConfig, adopts_orphans: None, nothing_left: None
) -> None:
    async with reading(config) as reader, reader.open(blank_pdf()):
        os.kill(zygote_of(reader), signal.SIGKILL)


async def test_all_processes_end_with_the_service(nothing_left: None) -> None:
    service = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVICE, *impostor(), stdout=asyncio.subprocess.PIPE
    )
    assert service.stdout is not None
    zygote = int(await service.stdout.readline())
    await eventually(lambda: len(children(zygote)) == 2)
    processes = {zygote} | children(zygote)
    service.kill()
    await service.wait()
    await eventually(lambda: not any(map(is_running, processes)))


async def test_hanging_up_its_control_ends_it_and_its_parsers(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config, *impostor()) as reader:
        await reader.start()
        processes = {zygote_of(reader)} | parsers_of(reader)
        assert reader._pool._zygote is not None
        reader._pool._zygote._control.shutdown(socket.SHUT_RDWR)
        await eventually(lambda: not any(map(is_running, processes)))


async def test_a_process_with_threads_is_not_copied(
    config: RuntimeConfig, nothing_left: None
) -> None:
    thread = "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    async with reading(config, *impostor(before=thread)) as reader:
        with pytest.raises(errors.ParserUnavailable):
            await reader.start()
