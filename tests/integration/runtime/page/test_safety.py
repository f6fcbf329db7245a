"""Whatever a document says is text, and a token goes nowhere but to the service."""

import pytest
from integration.runtime.page.conftest import Show
from integration.runtime.page.double import Double, a_page, block
from playwright.async_api import expect

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTACKS = (
    "<script>window.hit = 1</script>",
    "<img src=x onerror=window.hit=1>",
    "[click](javascript:window.hit=1)",
    "[click](JaVaScRiPt:window.hit=1)",
    "[click](data:text/html,<script>window.hit=1</script>)",
    "![picture](https://elsewhere.example/track.png)",
    "<svg onload=window.hit=1>",
    "# <iframe src=javascript:window.hit=1></iframe>",
    "- <a href=javascript:window.hit=1>x</a>",
    "| <b onclick=window.hit=1>x</b> | y |\n| --- | --- |\n| <style>*{display:none}</style> | z |",
    '<table><tr><td onclick="window.hit=1"><img src=x onerror=window.hit=1>cell</td></tr></table>',
    "```\n</code><script>window.hit = 1</script>\n```",
    "&lt;script&gt;window.hit = 1&lt;/script&gt;",
)
FORMS = {
    "a **b** *c* `d` ~~e~~": "<p>a <strong>b</strong> <em>c</em> <code>d</code> <s>e</s></p>",
    "snake_case_name and 2 * 3 * 4": "<p>snake_case_name and 2 * 3 * 4</p>",
    r"\# no \*emphasis\*": "<p># no *emphasis*</p>",
    "## Two ##": '<h2 class="level-2">Two</h2>',
    "1. one\n2. two\n   - in\n   - side": (
        "<ol><li>one</li><li>two<ul><li>in</li><li>side</li></ul></li></ol>"
    ),
    "> said\n> so": "<blockquote><p>said so</p></blockquote>",
    "| a | b |\n| --- | --: |\n| c \\| d | 1 |": (
        '<div class="scrolling"><table><thead><tr><th scope="col">a</th>'
        '<th class="right" scope="col">b</th></tr></thead><tbody><tr><td>c | d</td>'
        '<td class="right">1</td></tr></tbody></table></div>'
    ),
    "<table><tr><td colspan='2'>a &amp; b</td></tr><tr><th>c<td>d</table>": (
        '<div class="scrolling"><table><tbody><tr><td colspan="2">a &amp; b</td></tr>'
        "<tr><th>c</th><td>d</td></tr></tbody></table></div>"
    ),
    "[site](https://example.org/)": (
        '<p><a href="https://example.org/" rel="noopener noreferrer nofollow" target="_blank" '
        'title="https://example.org/">site</a></p>'
    ),
    "---": "<hr>",
}
LONG = {
    "stars": "*" * 200_000,
    "spaces": "#" + " " * 200_000 + "x",
    "brackets": "[" * 100_000,
    "deep list": "\n".join(" " * n + "- x" for n in range(3000)),
    "deep quote": ">" * 5000 + " x",
    "ticks": "`" * 50_000 + "x",
    "bars": "|" * 100_000 + "\n" + "|-" * 50_000 + "|",
    "emphasis": "**a " * 4000,
    "tags": "<table>" + "<td" * 50_000 + "</table>",
}
RENDER = """async (text) => {
  const { markdown } = await import("/page/markdown.js");
  const into = document.createElement("div");
  const began = performance.now();
  into.append(markdown(text));
  return [into.innerHTML, performance.now() - began];
}"""


async def test_a_document_cannot_run_anything(show: Show) -> None:
    blocks = [block("paragraph", text, text, (0, 0, 600, 800)) for text in ATTACKS]
    pages = [a_page(0, *blocks), {**a_page(1), "blocks": [], "markdown": "\n\n".join(ATTACKS)}]
    pages.append(a_page(2, block('x" onload="window.hit=1', "t", "t", (0, 0, 1, 1))))
    sight = await show(Double(pages=pages))
    await sight.choose('"><script>window.hit = 1</script>.pdf')
    await sight.status("3 pages")
    for page in await sight.page.locator(".page").all():
        await page.scroll_into_view_if_needed()
        await page.locator(".text > *").first.wait_for()
        found = await page.locator(":is(script, iframe, svg, style, a, .text img)").count()
        assert found == 0
    shown = await sight.page.locator(".page").first.locator(".text").inner_text()
    for text in ("<script>window.hit = 1</script>", "<img src=x", "javascript:window.hit=1"):
        assert text in shown
    assert await sight.page.evaluate("window.hit") is None
    await expect(sight.page.locator("#title")).to_contain_text("<script>")


async def test_markup_is_refused_by_the_browser_itself(show: Show) -> None:
    sight = await show()
    sight.expected = ("This document requires", "Executing inline", "Refused to", "Applying inline")
    refused = await sight.page.evaluate(
        """() => {
            try { document.body.innerHTML = "<b>x</b>"; return false }
            catch { return true }
        }"""
    )
    assert refused
    await sight.page.evaluate(
        """() => { const s = document.createElement("style"); s.textContent = "body{display:none}";
                   document.head.append(s); }"""
    )
    assert await sight.page.locator("body").is_visible()


async def test_markdown_becomes_elements(show: Show) -> None:
    sight = await show()
    made = {text: (await sight.page.evaluate(RENDER, text))[0] for text in FORMS}
    assert made == FORMS


async def test_no_text_takes_long(show: Show) -> None:
    sight = await show()
    seconds = {name: (await sight.page.evaluate(RENDER, LONG[name]))[1] / 1000 for name in LONG}
    print(seconds)
    assert {name for name, taken in seconds.items() if taken > 2} == set()


async def test_the_token_is_asked_for_and_stays_in_the_tab(show: Show) -> None:
    sight = await show(Double(token="t0k3n"))
    sight.expected = ("Failed to load resource",)
    dialog = sight.page.locator("#token-dialog")
    await sight.page.get_by_label("Access token").fill("wrong")
    await sight.page.keyboard.press("Enter")
    await expect(dialog).to_contain_text("does not accept this token")
    await sight.page.get_by_label("Access token").fill("t0k3n")
    await sight.page.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()
    await sight.choose()
    await sight.status("3 pages")
    kept = await sight.page.evaluate("[localStorage.length, document.cookie, location.href]")
    assert kept[:2] == [0, ""]
    assert "t0k3n" not in kept[2]
    await sight.page.reload()
    await sight.status("3 pages")
    await sight.page.get_by_role("button", name="Sign out").click()
    await sight.page.get_by_label("Access token").wait_for()
    assert await sight.page.evaluate("sessionStorage.getItem('docparser.token')") is None


async def test_who_does_not_sign_in_can_do_so_later(show: Show) -> None:
    sight = await show(Double(token="t0k3n"))
    sight.expected = ("Failed to load resource",)
    await sight.page.get_by_label("Access token").wait_for()
    await sight.page.keyboard.press("Escape")
    await sight.page.get_by_role("button", name="Sign in").click()
    await sight.page.get_by_label("Access token").fill("t0k3n")
    await sight.page.keyboard.press("Enter")
    await expect(sight.page.locator("#model")).to_have_text("double")


async def test_a_password_is_asked_for_and_kept_nowhere(show: Show) -> None:
    sight = await show(Double(password="open"))
    sight.expected = ("Failed to load resource",)
    await sight.choose("secret.pdf")
    dialog = sight.page.locator("#password-dialog")
    await expect(dialog).to_contain_text("secret.pdf")
    await sight.page.get_by_label("Its password").fill("wrong")
    await sight.page.keyboard.press("Enter")
    await expect(dialog).to_contain_text("This password does not open it.")
    await sight.page.get_by_label("Its password").fill("open")
    await sight.page.keyboard.press("Enter")
    await sight.status("3 pages")
    assert [fields.get("password") for fields in sight.double.fields] == [None, "wrong", "open"]
    assert "POST /v1/document/parse" not in sight.double.requests
    assert "open" not in await sight.page.evaluate("JSON.stringify(sessionStorage)")
