"""Every example in the document about clients is run as it stands, but for the address."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest
from integration.runtime.processes import environment
from integration.runtime.restarting import document, services, tree
from PIL import Image
from support.documents import REPOSITORY, blocks

DOCUMENT = REPOSITORY / "docs" / "clients.md"
ADDRESS = "http://localhost:8080"
PROGRAMS = blocks(DOCUMENT, "python")
COMMANDS = [
    line.removeprefix("$ ")
    for block in blocks(DOCUMENT, "console")
    for line in block.splitlines()
    if line.startswith("$ ")
]


async def outcome(*command: str, folder: Path) -> tuple[int | None, str]:
    """Run `command` in `folder`; return its exit code and all that it printed."""
    environ = environment() | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, told.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with what the examples name."""
    place = tmp_path / "here"
    tree(place / "scans", 1, "2026/a.pdf", "b.pdf")
    (place / "report.pdf").write_bytes(document(2))
    Image.new("RGB", (64, 48), "white").save(place / "page.png")
    return place


def test_there_are_examples() -> None:
    assert len(PROGRAMS) >= 4
    assert len(COMMANDS) >= 5


async def test_the_examples_do_what_they_say(folder: Path, tmp_path: Path) -> None:
    assert shutil.which("curl"), "the examples need curl"
    async with services(tmp_path / "data") as start:
        url = (await start()).url
        for program in PROGRAMS:
            code, told = await outcome(
                sys.executable, "-c", program.replace(ADDRESS, url), folder=folder
            )
            assert code == 0, f"{program}\n{told}"
            assert told
        for command in COMMANDS:
            code, told = await outcome("bash", "-c", command.replace(ADDRESS, url), folder=folder)
            assert code == 0, f"{command}\n{told}"
    assert '"content":"# Page 1' in told
    assert (folder / "texts/2026/a.pdf.md").read_text().startswith("# Page 1")
    assert (folder / "report.md").read_text().count("# Page") == 2
    assert '"pages"' in (folder / "report.json").read_text()
