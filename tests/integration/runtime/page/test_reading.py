"""A person hands over documents and watches them being read."""

import pytest
from integration.runtime.page.conftest import Show, Sight
from integration.runtime.page.double import Double, a_page
from playwright.async_api import expect
from unit.runtime.doubles import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

DROP = """async ({ name, text }) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: "application/pdf" }));
  const options = { dataTransfer: data, bubbles: true, cancelable: true };
  const event = (kind) => new DragEvent(kind, options);
  document.body.dispatchEvent(event("dragover"));
  const shown = document.body.classList.contains("dragging");
  document.body.dispatchEvent(event("drop"));
  return shown;
}"""
PASTE = """() => {
  const data = new DataTransfer();
  data.items.add(new File(["x"], "pasted.png", { type: "image/png" }));
  document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""


async def texts(sight: Sight) -> list[str]:
    return await sight.page.locator(".page h4").all_inner_texts()


async def test_a_dropped_document_appears_page_beside_picture(show: Show) -> None:
    sight = await show()
    assert await sight.page.evaluate(DROP, {"name": "report.pdf", "text": "%PDF-1.7"})
    await sight.status("3 pages, 1.3 s")
    assert await texts(sight) == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert sight.double.uploads == [b"%PDF-1.7"]
    picture = sight.page.locator(".page img").first
    await expect(picture).to_have_js_property("naturalWidth", 600)
    assert await sight.page.locator(".page").first.locator(".box").count() == 2
    await sight.page.keyboard.press("End")
    await expect(sight.page.locator(".goto input")).to_have_value("3")
    await expect(sight.page.locator("#title")).to_have_text("report.pdf")
    await expect(sight.page.locator("#live")).to_have_text(
        "report.pdf has been read: 3 pages, 1.3 s"
    )


async def test_a_pasted_picture_is_its_own_page(show: Show) -> None:
    sight = await show(Double(pages=[a_page(0)]))
    await sight.page.evaluate(PASTE)
    await sight.status("1 page")
    assert "GET /v1/document/tasks/task0/pages/0/image" not in sight.double.requests


async def test_pages_appear_as_they_come(show: Show) -> None:
    sight = await show(Double(at_once=False, first_status="queued"))
    await sight.choose()
    await sight.status("2 documents before it")
    (task,) = sight.double.tasks.values()
    task.status, task.available = "running", 2
    await sight.status("Reading, 2 of 3 pages")
    assert await texts(sight) == ["Chapter 1", "Chapter 2"]
    await expect(sight.page.locator(".page").nth(2)).to_contain_text("Not read yet")
    await expect(sight.page.locator(".bar progress")).to_have_js_property("value", 2)
    task.status, task.available = "done", 3
    await sight.status("3 pages")
    await expect(sight.page.locator(".bar progress")).to_be_hidden()


async def test_text_and_box_light_each_other(show: Show) -> None:
    sight = await show()
    await sight.choose()
    await sight.status("3 pages")
    first = sight.page.locator(".page").first
    await first.locator(".block").nth(1).hover()
    await expect(first.locator(".box").nth(1)).to_have_class("box kind-paragraph lit")
    await first.locator(".box").nth(0).hover()
    await expect(first.locator(".block").nth(0)).to_have_class("block kind-title lit")
    assert await sight.page.locator(".lit").count() == 2
    await first.locator(".box").nth(1).click()
    await expect(first.locator(".block").nth(1)).to_be_focused()


async def test_what_came_is_not_asked_for_again_after_a_break(show: Show) -> None:
    sight = await show(Double(break_after=1))
    sight.expected = ("Failed to load resource", "net::")
    await sight.choose()
    await sight.status("3 pages")
    assert sight.double.last_ids == [None, "1"]
    assert await texts(sight) == ["Chapter 1", "Chapter 2", "Chapter 3"]


async def test_cancel(show: Show) -> None:
    sight = await show(Double(at_once=False))
    await sight.choose()
    await sight.status("Reading, 0 of 3 pages")
    (task,) = sight.double.tasks.values()
    task.available = 1
    await sight.status("Reading, 1 of 3 pages")
    await sight.page.get_by_role("button", name="Cancel", exact=True).click()
    await sight.status("Cancelled after 1 page")
    assert task.status == "cancelled"
    await expect(sight.page.locator(".page").nth(2)).to_contain_text("This page was not read.")
    task.status = "running"
    await sight.page.get_by_role("button", name="Try again").click()
    await sight.status("Reading, 0 of 3 pages")
    assert len(sight.double.tasks) == 2


async def test_a_failure_is_told(show: Show) -> None:
    sight = await show(Double(at_once=False))
    await sight.choose()
    await sight.status("Reading")
    (task,) = sight.double.tasks.values()
    task.error = {"code": "document_corrupt", "detail": "The document is damaged."}
    task.status = "failed"
    await sight.status("The document is damaged.")
    await expect(sight.page.locator("#documents li")).to_contain_text("The document is damaged.")


async def test_documents_are_opened_again(show: Show) -> None:
    sight = await show()
    await sight.choose("first.pdf")
    await sight.status("3 pages")
    await sight.choose("second.pdf")
    await sight.status("3 pages")
    assert sight.page.url.endswith("#task=task1")
    await sight.page.reload()
    await expect(sight.page.locator("#title")).to_have_text("second.pdf")
    await sight.status("3 pages")
    await sight.page.get_by_role("button", name="first.pdf").first.click()
    await expect(sight.page.locator("#title")).to_have_text("first.pdf")
    await sight.page.locator(".page h4").nth(2).wait_for()
    assert sight.page.url.endswith("#task=task0")


async def test_several_files_are_sent_one_after_the_other(show: Show) -> None:
    sight = await show()
    files = [
        {"name": f"{n}.pdf", "mimeType": "application/pdf", "buffer": b"%d" % n} for n in range(12)
    ]
    await sight.page.set_input_files("#file", files)  # type: ignore[arg-type]
    await eventually(lambda: len(sight.double.tasks) == 12)
    assert sight.double.uploads == [b"%d" % n for n in range(12)]
    await expect(sight.page.locator("#documents li")).to_have_count(12)
    await expect(sight.page.locator("#title")).to_have_text("0.pdf")


async def test_files_that_cannot_be_taken(show: Show) -> None:
    sight = await show()
    await sight.page.locator("#hint", has_text="up to 1").wait_for()
    await sight.choose("large.pdf", bytes(1024 * 1024 + 1))
    await expect(sight.page.locator("#complaint")).to_contain_text("larger than 1 MB")
    await sight.choose("empty.pdf", b"")
    await expect(sight.page.locator("#complaint")).to_contain_text("empty.pdf is empty")
    assert sight.double.uploads == []


async def test_health_and_queue(show: Show) -> None:
    sight = await show()
    await expect(sight.page.locator("#health")).to_contain_text("Ready")
    await expect(sight.page.locator("#load")).to_have_text("1 being read, 4 waiting")
