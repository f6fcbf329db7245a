"""From a clean clone, one documented command serves the page; a dropped PDF becomes Markdown."""

import asyncio
import os
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from integration.runtime.page.conftest import Show
from integration.runtime.page.test_real_service import DROP
from support.documents import REPOSITORY
from support.sample_document import SAMPLE_PAGES, character_error_rate, sample_pdf
from unit.runtime.doubles import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

COMMAND = "make serve"
MOST_SECONDS = 300
"""Where packages and models lie in no cache; with one, it takes a minute on two cores."""
# What the make that runs these tests, and their interpreter, would pass on.
OURS = ("DOCPARSER_", "MAKE", "MFLAGS", "PYTHON", "UV_PROJECT", "VIRTUAL_ENV")


def environment(home: Path) -> dict[str, str]:
    """Return the environment of somebody who has just come; only the caches are kept."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return kept | {"XDG_DATA_HOME": str(home)}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


@asynccontextmanager
async def served(clone: Path, home: Path) -> AsyncIterator[str]:
    """Yield the address at which the command serves the page; end all that it has started."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    process = await asyncio.create_subprocess_exec(
        *COMMAND.split(),
        f"PORT={port}",
        cwd=clone,
        env=environment(home),
        start_new_session=True,
    )

    async def is_ready() -> bool:
        assert process.returncode is None, "the command has ended"
        with suppress(httpx.TransportError):
            return (await client.get(f"{url}/readyz")).status_code == 200
        return False

    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            await eventually(is_ready, MOST_SECONDS)
        yield url
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        await process.wait()


async def test_one_command_serves_the_page_of_a_clean_clone(show: Show, tmp_path: Path) -> None:
    assert COMMAND in (REPOSITORY / "README.md").read_text()
    clone = tmp_path / "clone"
    command = ["git", "clone", "--quiet", str(REPOSITORY), str(clone)]
    await asyncio.to_thread(subprocess.run, command, check=True)
    began = time.monotonic()
    async with served(clone, tmp_path / "home") as url:
        sight = await show(f"{url}/")
        print(f"served after {time.monotonic() - began:.0f} s")
        await sight.page.evaluate(DROP, [*sample_pdf()])
        await sight.status("3 pages", MOST_SECONDS * 1000)
        async with sight.page.expect_download() as downloading:
            await sight.page.get_by_role("button", name="Markdown", exact=True).click()
        text = (await (await downloading.value).path()).read_text()
        await sight.page.close()  # it would see the service leave
    print(f"read after {time.monotonic() - began:.0f} s")
    assert character_error_rate("\n\n".join(SAMPLE_PAGES), text) <= 0.02
