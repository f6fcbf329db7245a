"""Parsers in their hundreds: nothing piles up, and what hangs is replaced."""

import os
import signal
from pathlib import Path

from docparser_api.runtime import RuntimeConfig
from docparser_runtime.documents.reader import SubprocessReader
from support.sample_document import prose_pdf
from unit.runtime.documents.parsers import children, open_files, parsers_of, reading, zygote_of
from unit.runtime.doubles import eventually

DOCUMENTS = 200
MEBIBYTE = 1024**2


def resident_bytes(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


async def page_of(reader: SubprocessReader, content: bytes) -> None:
    async with reader.open(content) as document:
        assert (await document.page(0)).width == 596


async def test_nothing_piles_up_in_the_process_that_is_copied() -> None:
    content = prose_pdf(1)
    async with reading(RuntimeConfig(render_dpi=72)) as reader:
        await page_of(reader, content)
        await eventually(lambda: len(parsers_of(reader)) == 1)
        zygote = zygote_of(reader)
        before = open_files(zygote), resident_bytes(zygote), open_files()
        for _ in range(DOCUMENTS):
            await page_of(reader, content)
        await eventually(lambda: len(parsers_of(reader)) == 1)
        assert zygote_of(reader) == zygote
        await eventually(lambda: open_files(zygote) == before[0])
        assert resident_bytes(zygote) - before[1] < MEBIBYTE
        assert open_files() == before[2]


async def test_a_process_that_hangs_is_replaced() -> None:
    content = prose_pdf(1)
    async with reading(RuntimeConfig(render_dpi=72)) as reader:
        await page_of(reader, content)
        stuck = zygote_of(reader)
        os.kill(stuck, signal.SIGSTOP)
        # It is served by the spare; that its parser died is not told any more.
        await page_of(reader, content)
        await page_of(reader, content)
        assert zygote_of(reader) != stuck
        assert stuck not in children()
