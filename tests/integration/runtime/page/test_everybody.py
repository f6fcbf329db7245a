"""The page serves those without a mouse, in the dark, on a phone, and with a thousand pages."""

import re
import time
from pathlib import Path

import pytest
from integration.runtime.page.conftest import Show, Sight
from integration.runtime.page.double import Double, a_page
from playwright.async_api import FileChooser, FilePayload, expect
from unit.runtime.doubles import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOCUSED = "() => document.activeElement.id || document.activeElement.className"


async def tab_to(sight: Sight, name: str, most: int = 30) -> None:
    """Press Tab until the element with this id or class has the focus."""
    for _ in range(most):
        await sight.page.keyboard.press("Tab")
        if name in (await sight.page.evaluate(FOCUSED)).split():
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


async def test_everything_by_keyboard(show: Show) -> None:
    sight = await show()
    page = sight.page
    choosers: list[FileChooser] = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))  # noqa: PLW0108 (playwright marks the function)
    await tab_to(sight, "choose")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert await page.evaluate(outline) == "solid"
    await page.keyboard.press("Enter")
    await eventually(lambda: len(choosers) == 1)
    await choosers[0].set_files(FilePayload(name="a.pdf", mimeType="application/pdf", buffer=b"%"))
    await sight.status("3 pages")
    assert await page.evaluate(FOCUSED) == "title"
    await tab_to(sight, "box")
    first = page.locator(".page").first
    await expect(first.locator(".block").nth(0)).to_have_class(re.compile("lit"))
    await page.keyboard.press("ArrowDown")
    await expect(first.locator(".box").nth(1)).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(first.locator(".block").nth(1)).to_be_focused()
    await expect(first.locator(".box").nth(1)).to_have_class(re.compile("lit"))
    await page.keyboard.press("Enter")
    await expect(first.locator(".box").nth(1)).to_be_focused()
    # One stop for the boxes and one for the text of each page.
    await tab_to(sight, "block", 1)
    await tab_to(sight, "box", 1)
    await expect(page.locator(".page").nth(1).locator(".box").first).to_be_focused()


async def test_everything_has_a_name(show: Show) -> None:
    sight = await show(Double(at_once=False))
    await sight.choose()
    await sight.status("Reading")
    nameless = await sight.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, progress, [role=group]")]
            .filter((e) => !e.hidden && !e.closest("dialog") && !e.ariaHidden)
            .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
            .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    await expect(sight.page.locator("#live")).to_have_text("Reading, 0 of 3 pages")


CONTRAST = """(selectors) => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const shade = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    const colour = parse(getComputedStyle(e).backgroundColor);
    return colour.length === 4 && colour[3] < 1 ? ground(e.parentElement) : colour;
  };
  return selectors.map((selector) => {
    const element = document.querySelector(selector);
    const [a, b] = [shade(parse(getComputedStyle(element).color)), shade(ground(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""
TEXTS = (".block p", ".number", ".name", ".when", ".state", "#hint", "#choose", "#load", "h1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_text_stands_out_by_day_and_by_night(show: Show, tmp_path: Path, scheme: str) -> None:
    sight = await show(color_scheme=scheme)
    await sight.choose()
    await sight.status("3 pages")
    await expect(sight.page.locator("#load")).not_to_be_empty()
    await sight.page.screenshot(path=tmp_path / f"{scheme}.png")
    ground = await sight.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == (scheme == "dark")
    contrasts = await sight.page.evaluate(CONTRAST, TEXTS)
    assert {name: c for name, c in zip(TEXTS, contrasts, strict=True) if c < 4.5} == {}


@pytest.mark.parametrize("width", [320, 768])
async def test_nothing_is_wider_than_the_screen(show: Show, tmp_path: Path, width: int) -> None:
    sight = await show(viewport={"width": width, "height": 844})
    await sight.choose("a-rather-long-name-of-a-document-without-any-blank-in-it.pdf")
    await sight.status("3 pages")
    await sight.page.screenshot(path=tmp_path / f"{width}.png")
    assert await sight.page.evaluate("document.documentElement.scrollWidth") <= width
    chosen = "text" if width <= 768 else "both"
    await expect(sight.page.locator(".pages")).to_have_attribute("data-view", chosen)
    await sight.page.get_by_text("Both", exact=True).click()
    await expect(sight.page.locator(".page img").first).to_be_visible()
    assert await sight.page.evaluate("document.documentElement.scrollWidth") <= width


# Playwright's own look at an element goes through all thousand pages, again and again.
LAST_IS_IN_SIGHT = """() => {
  const last = document.querySelector("[data-index='999'] .block");
  const { top, bottom } = last?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
  return top >= 0 && bottom <= innerHeight && last.textContent === "Chapter 1000";
}"""


async def test_a_thousand_pages(show: Show) -> None:
    sight = await show(Double(pages=[a_page(index) for index in range(1000)]))
    began = time.monotonic()
    await sight.choose()
    await sight.status("1000 pages")
    print(f"1000 pages in {time.monotonic() - began:.2f} s")
    await expect(sight.page.locator(".page")).to_have_count(1000)
    assert await sight.page.locator(".block").count() < 60
    await sight.page.locator(".goto input").fill("1000")
    await sight.page.keyboard.press("Enter")
    await sight.page.wait_for_function(LAST_IS_IN_SIGHT)
    await eventually(lambda: _few(sight))
    frame = await sight.page.evaluate(
        """() => new Promise((resolve) => {
            const began = performance.now();
            const end = () => resolve(performance.now() - began);
            requestAnimationFrame(() => requestAnimationFrame(end));
        })"""
    )
    assert frame < 500


async def _few(sight: Sight) -> bool:
    return await sight.page.locator(".block").count() < 60


async def test_without_tasks_documents_are_streamed_one_by_one(show: Show) -> None:
    sight = await show(Double(keeps_tasks=False, at_once=False))
    sight.expected = ("Failed to load resource",)
    await sight.choose("one.pdf")
    await sight.status("Reading, 0 of 3 pages")
    await sight.choose("two.pdf")
    await sight.status("Waits for the document before it")
    await sight.page.get_by_role("button", name="one.pdf").first.click()
    sight.double.tasks["task0"].available = 1
    await sight.page.locator(".page h4").first.wait_for()
    await sight.page.get_by_role("button", name="Cancel", exact=True).click()
    await sight.status("Cancelled after 1 page")
    await eventually(lambda: sight.double.left == 1)
    sight.double.at_once = True
    await sight.page.get_by_role("button", name="two.pdf").first.click()
    await sight.status("3 pages")
    async with sight.page.expect_download() as downloading:
        await sight.page.get_by_role("button", name="Markdown").click()
    content = (await (await downloading.value).path()).read_text()
    assert content.startswith("# Chapter 1\n\nText of page 1.\n\n# Chapter 2")
