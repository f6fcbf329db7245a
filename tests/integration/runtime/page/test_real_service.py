"""The page of the real program: a document is dropped, and its text appears."""

import io
import json
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from docparser_api.names import ENV_DATA, ENV_MODEL, ENV_TOKEN
from integration.runtime.page.conftest import Show
from integration.runtime.processes import environment, serving
from playwright.async_api import expect
from support.sample_document import SAMPLE_PAGES, character_error_rate, prose_pdf, sample_pdf
from unit.runtime.doubles import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

DROP = """async (bytes) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], "guide.pdf", { type: "application/pdf" }));
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new DragEvent("drop", options));
}"""


def keeping(directory: Path, **limits: Any) -> dict[str, str]:
    return environment(**limits) | {ENV_DATA: str(directory)}


async def test_a_dropped_pdf_is_read(show: Show, tmp_path: Path) -> None:
    environ = keeping(tmp_path / "data") | {ENV_MODEL: json.dumps({"engine": "rapidocr"})}
    async with serving(environ) as program:
        sight = await show(f"{program.url}/", viewport={"width": 1400, "height": 900})
        await sight.page.evaluate(DROP, [*sample_pdf()])
        await sight.status("3 pages", 120_000)
        pages = sight.page.locator(".page")
        for index, expected in enumerate(SAMPLE_PAGES):
            await pages.nth(index).scroll_into_view_if_needed()
            await pages.nth(index).locator(".block").first.wait_for()
            read = await pages.nth(index).locator(".text").inner_text()
            assert character_error_rate(expected, read) <= 0.02
            picture = pages.nth(index).locator("img")
            await expect(picture).to_have_js_property("naturalHeight", 1684)
        assert await pages.nth(1).locator(".text table tr").count() == 5
        await sight.page.screenshot(path=tmp_path / "real.png")


async def test_an_encrypted_document_is_read_in_part_and_saved(show: Show, tmp_path: Path) -> None:
    locked = io.BytesIO()
    with pikepdf.open(io.BytesIO(prose_pdf(4))) as pdf:
        pdf.save(locked, encryption=pikepdf.Encryption(owner="owner", user="open sesame"))
    async with serving(keeping(tmp_path / "data")) as program:
        sight = await show(f"{program.url}/")
        sight.expected = ("Failed to load resource",)
        await sight.page.get_by_text("How to read it").click()
        await sight.page.locator("#pages").fill("3-")
        await sight.choose("locked.pdf", locked.getvalue())
        await sight.page.get_by_label("Its password").fill("open sesame")
        await sight.page.keyboard.press("Enter")
        await sight.status("2 pages")
        assert await sight.page.locator(".page h3").all_inner_texts() == ["Page 3", "Page 4"]
        await expect(sight.page.locator(".page img").first).to_have_js_property(
            "naturalHeight", 1684
        )
        async with sight.page.expect_download() as downloading:
            await sight.page.get_by_role("button", name="PDF", exact=True).click()
        saved = await (await downloading.value).path()
    with pikepdf.open(saved) as pdf:
        assert (len(pdf.pages), pdf.is_encrypted) == (4, False)


async def test_reading_goes_on_after_the_service_was_killed(show: Show, tmp_path: Path) -> None:
    environ = keeping(tmp_path / "data", fake={"pageMilliseconds": 300}, tasks={"leaseSeconds": 2})
    async with serving(environ) as program:
        port = program.events("listening")[0]["port"]
        sight = await show(f"{program.url}/")
        sight.expected = ("Failed to load resource",)
        await sight.choose("long.pdf", prose_pdf(8))
        await sight.page.locator(".page .block").first.wait_for()
        program.process.kill()
        await sight.status("Connection lost")
    async with serving(environ, port=port):
        await sight.status("8 pages")
        await expect(sight.page.locator(".awaited")).to_have_count(0)


async def test_cancel_ends_the_work(show: Show, tmp_path: Path) -> None:
    environ = keeping(tmp_path / "data", fake={"pageMilliseconds": 300})
    async with serving(environ) as program:
        sight = await show(f"{program.url}/")
        await sight.choose("long.pdf", prose_pdf(90))
        await sight.status("Reading, ")
        await sight.page.get_by_role("button", name="Cancel", exact=True).click()
        await sight.status("Cancelled")

        async def is_idle() -> bool:
            return await program.metric("docparser_requests_running") == 0

        await eventually(is_idle)


async def test_without_a_place_for_tasks_the_page_streams(show: Show) -> None:
    async with serving(environment() | {ENV_TOKEN: "a-token-of-the-tests"}) as program:
        sight = await show(f"{program.url}/")
        sight.expected = ("Failed to load resource",)
        await sight.page.get_by_label("Access token").fill("a-token-of-the-tests")
        await sight.page.keyboard.press("Enter")
        await sight.choose("short.pdf", prose_pdf(3))
        await sight.status("3 pages")
        assert await sight.page.locator(".page h4").all_inner_texts() == [
            "Page 1",
            "Page 2",
            "Page 3",
        ]
