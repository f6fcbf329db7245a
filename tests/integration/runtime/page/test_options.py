"""A person chooses how documents are read, and in which form they are saved."""

import json
import re

import pytest
from integration.runtime.page.conftest import Show, Sight
from integration.runtime.page.double import Double, a_page, block
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_is_chosen_is_sent_by_keyboard_alone(show: Show) -> None:
    sight = await show(Double(pages=[a_page(1), a_page(2)]))
    keys = sight.page.keyboard
    await sight.page.locator("#choose").focus()
    for key in ("Tab", "Enter", "Tab"):
        await keys.press(key)
    await expect(sight.page.get_by_label("Pages", exact=False).first).to_be_focused()
    await keys.type("2 - 3")
    for key in ("Tab", "ArrowDown", "Tab", "Space"):
        await keys.press(key)
    chosen = sight.page.locator("#chosen")
    await expect(chosen).to_have_text("pages 2-3, as HTML, no headers and footers")
    await sight.choose()
    await sight.status("2 pages")
    options = {"page_range": "2-3", "tables": "html", "headers_footers": "drop"}
    assert sight.double.fields == [options]
    assert await sight.page.locator(".page h3").all_inner_texts() == ["Page 2", "Page 3"]
    await expect(chosen).to_have_text("pages 2-3, as HTML, no headers and footers")


async def test_nothing_is_sent_of_what_is_not_chosen(show: Show) -> None:
    sight = await show()
    await sight.choose()
    await sight.status("3 pages")
    assert sight.double.fields == [{}]
    await expect(sight.page.locator("#tier")).to_be_hidden()


@pytest.mark.parametrize("wrong", ["0", "1-2-3", "a", "1,", "1;2"])
async def test_what_is_no_page_range_is_told_and_not_sent(show: Show, wrong: str) -> None:
    sight = await show()
    await sight.page.get_by_text("How to read it").click()
    await sight.page.locator("#pages").fill(wrong)
    await sight.choose()
    await expect(sight.page.locator("#complaint")).to_contain_text("This is no page range")
    await expect(sight.page.locator("#pages")).to_be_focused()
    assert sight.double.uploads == []


async def test_pages_to_come_stand_where_they_will_be(show: Show) -> None:
    sight = await show(Double(pages=[a_page(0), a_page(4), a_page(5)], at_once=False))
    await sight.page.get_by_text("How to read it").click()
    await sight.page.locator("#pages").fill("5-,1")
    await sight.choose()
    await sight.status("Reading, 0 of 3 pages")
    numbers = sight.page.locator(".page h3")
    await expect(numbers).to_have_text(["Page 1", "Page 5", "Page 6"])
    (task,) = sight.double.tasks.values()
    task.status, task.available = "done", 3
    await sight.status("3 pages")
    sight.expected = ("Failed to load resource",)  # there is no picture of a page that is guessed
    await sight.page.reload()  # now the range is not known any more
    await sight.status("3 pages")
    await expect(numbers).to_have_text(["Page 1", "Page 5", "Page 6"])
    await sight.page.locator(".goto input").fill("6")
    await sight.page.keyboard.press("Enter")
    await expect(sight.page.locator("[data-index='5'] h4")).to_be_in_viewport()


async def test_tiers_are_offered_where_the_engine_has_some(show: Show) -> None:
    sight = await show(Double(tiers=("low", "high")))
    await sight.page.get_by_text("How to read it").click()
    await sight.page.get_by_label("How closely").select_option("low")
    sight.double.pages[0] |= {"tier": "low", "lowered": True}
    await sight.choose()
    await sight.status("3 pages")
    assert sight.double.fields == [{"tier": "low"}]
    notes = sight.page.locator(".page .note")
    await expect(notes).to_have_text([re.compile("looked at this page less closely")])


async def saved(sight: Sight) -> dict[str, str]:
    """Return the content of all downloads by their names."""
    found = {}
    for form in await sight.page.locator(".saves button:visible").all_inner_texts():
        async with sight.page.expect_download() as downloading:
            await sight.page.get_by_role("button", name=form, exact=True).click()
        download = await downloading.value
        found[download.suggested_filename] = (await download.path()).read_text()
    return found


@pytest.mark.parametrize("keeps_tasks", [True, False])
async def test_downloads(show: Show, *, keeps_tasks: bool) -> None:
    odd = block("paragraph", "<b>", "\\<b>", (0, 0, 9, 9))
    sight = await show(Double(pages=[a_page(0), a_page(1, odd)], keeps_tasks=keeps_tasks))
    sight.expected = ("Failed to load resource",)
    await sight.choose("paper.pdf")
    await sight.status("2 pages")
    files = await saved(sight)
    assert files["paper.md"] == "# Chapter 1\n\nText of page 1.\n\n\\<b>"
    answer = json.loads(files["paper.json"])
    assert (len(answer["pages"]), answer["content"]) == (2, files["paper.md"])
    assert "Chapter 1</h1>" in files["paper.html"]
    assert ("<p>&lt;b&gt;</p>" in files["paper.html"]) != keeps_tasks
    pdf = {"paper.searchable.pdf": "%PDF-searchable"} if keeps_tasks else {}
    assert {name: text for name, text in files.items() if name.endswith("pdf")} == pdf
