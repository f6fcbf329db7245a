"""Documents that come back with their text: real parsers and the real engine, over HTTP."""

import io
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import numpy as np
import pikepdf
import pytest
from docparser_api.names import ENV_DATA, ENV_MODEL, PATH_PARSE, PATH_TASKS
from integration.runtime.processes import environment, serving
from numpy.typing import NDArray
from PIL import Image
from support.sample_document import SAMPLE_PAGES, character_error_rate, sample_pdf
from support.searchable import Reader, distance

PDF = "application/pdf"
PASSWORD = "geheim"
DPI = 144
WORD = re.compile(r"[A-Za-z]{6,}")
MOST_ERRORS = 0.02
USUAL_POINTS = 3.0
"""Distance of the sides of a word's box from where the word really is, for half of the words."""


@pytest.fixture(scope="module")
def picture(page_pixels: tuple[NDArray[np.uint8], ...]) -> Image.Image:
    """Return the first page of the sample as it is drawn."""
    return Image.fromarray(page_pixels[0]).convert("L")


@pytest.fixture(scope="module")
def scan(picture: Image.Image) -> bytes:
    """Return a PDF of nothing but pictures: an empty page, then that one."""
    output = io.BytesIO()
    empty = Image.new("L", picture.size, 255)
    empty.save(output, "PDF", save_all=True, append_images=[picture], resolution=DPI, quality=95)
    return output.getvalue()


def locked(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        pdf.save(buffer, encryption=pikepdf.Encryption(owner="owner", user=PASSWORD))
    return buffer.getvalue()


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of a service that reads and keeps tasks."""
    real = {ENV_MODEL: json.dumps({"engine": "rapidocr"}), ENV_DATA: str(tmp_path)}
    async with (
        serving(environment(renderDpi=DPI, maxConcurrency=1) | real) as program,
        httpx.AsyncClient(base_url=program.url, timeout=60) as client,
    ):
        yield client


async def parsed(service: httpx.AsyncClient, content: bytes, **fields: str) -> bytes:
    """Return the PDF that `parse` makes."""
    answer = await service.post(
        PATH_PARSE, files={"file": ("a", content)}, data=fields, headers={"Accept": PDF}
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == PDF
    return answer.content


async def of_task(service: httpx.AsyncClient, content: bytes, **fields: str) -> bytes:
    """Return the PDF that is made of a task."""
    answer = await service.post(PATH_TASKS, files={"file": ("a", content)}, data=fields)
    path = f"{PATH_TASKS}/{answer.json()['id']}"
    assert (await service.get(path, params={"wait": 60})).json()["status"] == "done"
    found = await service.get(f"{path}/result", headers={"Accept": PDF})
    assert found.status_code == 200, found.text
    assert found.headers["content-type"] == PDF
    return found.content


def check_page(reader: Reader, index: int, size: tuple[int, int]) -> None:
    """Fail unless page `index` says what the sample's first page says, and where it says it."""
    assert character_error_rate(SAMPLE_PAGES[0], reader.text(index)) <= MOST_ERRORS
    original = Reader(sample_pdf())
    off = []
    for word in sorted(set(WORD.findall(original.text(0)))):
        there, here = original.found(word, size, 0), reader.found(word, size, index)
        if len(there) == len(here) == 1:
            off.append(distance(there[0], here[0]) * 72 / DPI)
    off.sort()
    assert len(off) > 30
    assert off[len(off) // 2] <= USUAL_POINTS


async def test_a_scan_comes_back_with_its_text(
    service: httpx.AsyncClient, scan: bytes, picture: Image.Image
) -> None:
    direct = await parsed(service, scan)
    reader = Reader(direct)
    assert reader.text(0) == ""
    check_page(reader, 1, picture.size)
    assert await of_task(service, scan) == direct
    ranged = Reader(await parsed(service, scan, page_range="1"))
    assert (ranged.text(0), ranged.text(1)) == ("", "")
    check_page(Reader(await of_task(service, scan, page_range="2")), 1, picture.size)


async def test_an_image_becomes_a_page(service: httpx.AsyncClient, picture: Image.Image) -> None:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", dpi=(DPI, DPI))
    check_page(Reader(await parsed(service, buffer.getvalue())), 0, picture.size)


async def test_encryption_stays_with_who_waits_and_is_taken_off_tasks(
    service: httpx.AsyncClient, scan: bytes, picture: Image.Image
) -> None:
    content = locked(scan)
    direct = await parsed(service, content, password=PASSWORD)
    with pytest.raises(pikepdf.PasswordError):
        pikepdf.open(io.BytesIO(direct))
    check_page(Reader(direct, PASSWORD), 1, picture.size)
    check_page(Reader(await of_task(service, content, password=PASSWORD)), 1, picture.size)
