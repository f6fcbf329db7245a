"""The life of parser processes: hidden starts, sudden ends, lies, and nothing left behind."""

import asyncio
import logging
import os
import signal
import sys

import pytest
from docparser_api.runtime import RuntimeConfig
from docparser_runtime import errors
from docparser_runtime.documents.failures import Death, error_of_death
from docparser_runtime.documents.reader import SubprocessReader
from docparser_runtime.parser_child.failures import OUT_OF_MEMORY_EXIT
from support.sample_document import blank_pdf, prose_pdf
from unit.runtime.documents.parsers import impostor, parsers_of, reading
from unit.runtime.doubles import eventually

pytestmark = pytest.mark.thorough  # real processes and connections, each with its own start

MEBIBYTE = 1024**2
PDF_HEAD = {"media_type": "application/pdf", "password": None}
OPENED = "send({'kind': 'opened', 'page_count': 1, 'repaired': False, 'encrypted': False})"


async def test_a_spare_waits_and_everything_is_ended(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config) as reader:
        await reader.start()
        (spare,) = parsers_of(reader)
        async with reader.open(blank_pdf()) as document:
            await document.page(0)
            assert spare in parsers_of(reader)
        await eventually(lambda: spare not in parsers_of(reader))


async def test_documents_open_at_the_same_time_have_own_processes(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config) as reader:

        async def count_of(pages: int) -> int:
            async with reader.open(prose_pdf(pages)) as document:
                for index in range(pages):
                    await document.page(index)
                return document.info.page_count

        assert await asyncio.gather(*map(count_of, range(1, 6))) == [*range(1, 6)]


async def test_a_process_that_crashes_takes_only_its_document_along(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config) as reader:
        await reader.start()
        neighbours = parsers_of(reader)
        async with reader.open(blank_pdf()) as neighbour:
            await eventually(lambda: len(parsers_of(reader)) == 2)
            (victim,) = parsers_of(reader) - neighbours
            async with reader.open(blank_pdf()) as document:
                os.kill(victim, signal.SIGSEGV)
                with pytest.raises(errors.ParserCrashed):
                    await document.page(0)
            assert (await neighbour.page(0)).index == 0


async def test_a_spare_that_died_is_replaced(config: RuntimeConfig, nothing_left: None) -> None:
    async with reading(config) as reader:
        await reader.start()
        (spare,) = parsers_of(reader)
        os.kill(spare, signal.SIGKILL)
        await eventually(lambda: spare not in parsers_of(reader))
        async with reader.open(blank_pdf()) as document:
            assert (await document.page(0)).width == 596


async def test_cancelling_kills_the_process(config: RuntimeConfig, nothing_left: None) -> None:
    async with reading(config, *impostor()) as reader:
        await reader.start()
        before = parsers_of(reader)
        opening = asyncio.create_task(reader.open(blank_pdf()).__aenter__())
        await asyncio.wait([opening], timeout=0.2)
        assert before <= parsers_of(reader)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await eventually(lambda: not before & parsers_of(reader))


async def test_cancelling_while_a_process_starts_leaves_nothing(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config) as reader:
        opening = asyncio.create_task(reader.open(blank_pdf()).__aenter__())
        await asyncio.wait([opening], timeout=0.02)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening


async def test_closing_ends_documents_in_use(config: RuntimeConfig, nothing_left: None) -> None:
    reader = SubprocessReader(config)
    async with reader.open(blank_pdf()) as document:
        await reader.close()
        with pytest.raises(errors.DocParserError):
            await document.page(0)


async def test_a_process_that_waits_is_a_timeout(nothing_left: None) -> None:
    async with reading(RuntimeConfig(page_timeout_seconds=1), *impostor()) as reader:
        with pytest.raises(errors.DocumentTimeout):
            async with reader.open(blank_pdf()):
                pass


@pytest.mark.parametrize(
    "lie",
    [
        OPENED.replace("1", "0"),
        OPENED.replace("1", "'1'"),
        OPENED.replace("})", ", 'more': 1})"),
        OPENED.replace("})", "}, b'payload')"),
        "send({'kind': 'drawn', 'width': 9999999, 'height': 9999999, 'dpi': 1.0})",
        "send({'kind': 'drawn', 'width': 9000, 'height': 9000, 'dpi': None}, length=243000000)",
        "send({'kind': 'drawn', 'width': 1, 'height': 1, 'dpi': None}, b'1234')",
        "send({'kind': 'drawn', 'width': 1, 'height': 1, 'dpi': float('nan')}, b'123')",
        "send({'kind': 'drawn', 'width': 1, 'height': 1, 'dpi': None}, b'123')",
        "send({'kind': 'failed', 'failure': 'the text of the document'})",
        "send({'kind': 'ready', 'refused': []})",
        "send(None, raw=b'[' * 1000)",
        "send(None, raw=b'\\xff')",
        "s.sendall(b'\\xff' * 12)",
        "os._exit(3)",
    ],
)
async def test_lies_are_crashes(config: RuntimeConfig, nothing_left: None, lie: str) -> None:
    async with reading(config, *impostor(lie)) as reader:
        with pytest.raises(errors.ParserCrashed):
            async with reader.open(blank_pdf()):
                pass


@pytest.mark.parametrize(
    "lie",
    [
        "send({'kind': 'saved'}, length=2 * 256 * 1024**2)",
        "send({'kind': 'saved', 'more': 1}, b'content')",
        "send({'kind': 'added'})",
        "send({'kind': 'added'}, b'payload')",
        "send({'kind': 'drawn', 'width': 1, 'height': 1, 'dpi': None}, b'123')",
    ],
)
async def test_lies_about_files_are_crashes(
    config: RuntimeConfig, nothing_left: None, lie: str
) -> None:
    content = blank_pdf()
    # The prefix is read already; the whole request has to be, for the next one to be answered.
    rest = f"s.makefile('rb').read(len(json.dumps({PDF_HEAD})) + {len(content)})"
    async with (
        reading(config, *impostor(rest, OPENED, "s.recv(12)", lie)) as reader,
        reader.open(content) as document,
    ):
        with pytest.raises(errors.ParserCrashed):
            await document.decrypted()


async def test_a_process_that_only_hangs_up_is_ended(
    config: RuntimeConfig, nothing_left: None
) -> None:
    async with reading(config, *impostor("s.close()")) as reader:
        with pytest.raises(errors.DocParserError) as raised:
            async with reader.open(blank_pdf()):
                pass
    assert raised.value.status == 422


async def test_a_page_count_beyond_the_limit_is_refused_whoever_counts(
    config: RuntimeConfig,
) -> None:
    lie = OPENED.replace("1", "10**12")
    async with reading(config, *impostor(lie)) as reader:
        with pytest.raises(errors.TooManyPages):
            async with reader.open(blank_pdf()):
                pass


@pytest.mark.parametrize("command", [("/no/such/program",), (sys.executable, "-c", "pass")])
async def test_when_no_process_starts_the_service_is_to_blame(
    config: RuntimeConfig, nothing_left: None, command: tuple[str, ...]
) -> None:
    async with reading(config, *command) as reader:
        with pytest.raises(errors.ParserUnavailable):
            await reader.start()
        with pytest.raises(errors.ParserUnavailable):
            async with reader.open(blank_pdf()):
                pass


async def test_what_the_kernel_refuses_is_logged_once(
    config: RuntimeConfig, caplog: pytest.LogCaptureFixture
) -> None:
    program = impostor()[-1].replace("'refused': []", "'refused': ['seccomp']")
    async with reading(config, sys.executable, "-I", "-c", program) as reader:
        await reader.start()
        for _ in range(2):
            opening = asyncio.create_task(reader.open(blank_pdf()).__aenter__())
            await asyncio.wait([opening], timeout=0.3)
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert ["seccomp" in record.getMessage() for record in warnings] == [True]


@pytest.mark.parametrize(
    ("death", "error"),
    [
        (Death(-signal.SIGXCPU, 0), errors.DocumentTimeout),
        (Death(-signal.SIGKILL, 0), errors.ResourceLimit),
        (Death(OUT_OF_MEMORY_EXIT, 0), errors.ResourceLimit),
        (Death(-signal.SIGSEGV, 900 * MEBIBYTE), errors.ResourceLimit),
        (Death(-signal.SIGSEGV, 90 * MEBIBYTE), errors.ParserCrashed),
        (Death(1, 90 * MEBIBYTE), errors.ParserCrashed),
        (Death(None, 0), errors.ParserUnavailable),
    ],
)
def test_death_and_error(death: Death, error: type[errors.DocParserError]) -> None:
    assert type(error_of_death(death, 1024 * MEBIBYTE)) is error
