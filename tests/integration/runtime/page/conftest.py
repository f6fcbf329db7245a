"""One browser for all tests of the page; a fresh context and a fresh service for each."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest_asyncio
from integration.runtime.page.double import Double
from integration.runtime.page.double_app import serving
from playwright.async_api import Browser, Page, expect
from support.chromium import chromium

WAIT_MS = 20_000
expect.set_options(timeout=WAIT_MS)


@dataclass
class Sight:
    """The page in a browser, and what went on behind it.

    Attributes:
        hosts: addresses that anything was asked of, but for the service itself.
        complaints: errors in the console and exceptions, as text.
        expected: beginnings of complaints that belong to the test.
    """

    page: Page
    double: Double
    hosts: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    async def choose(self, name: str = "report.pdf", content: bytes = b"%PDF-1.7") -> None:
        """Hand over a file as the dialog of the button does."""
        file: Any = {"name": name, "mimeType": media_type(name), "buffer": content}
        await self.page.set_input_files("#file", file)

    async def status(self, text: str, wait_ms: int = WAIT_MS) -> None:
        """Wait until the open document's status begins so."""
        begin = re.compile("^" + re.escape(text))
        await expect(self.page.locator("#status")).to_have_text(begin, timeout=wait_ms)


def media_type(name: str) -> str:
    return "application/pdf" if name.endswith(".pdf") else "image/png"


Show = Callable[..., Awaitable[Sight]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def show(browser: Browser) -> AsyncIterator[Show]:
    """Yield a function that opens the page of a double in a new context.

    However a test ends well, nothing may have been asked of another host, and nothing may have been
    complained about: a violation of the content security policy would be.
    """
    seen: list[Sight] = []
    async with AsyncExitStack() as stack:

        async def opened(double: Double | str | None = None, **options: Any) -> Sight:
            """Open the page of a double, or of a service at an address, with browser `options`."""
            served = double or Double()
            if isinstance(served, str):
                served = Double(url=served)
            else:
                await stack.enter_async_context(serving(served))
            context = await browser.new_context(**options)
            stack.push_async_callback(context.close)
            page = await context.new_page()
            page.set_default_timeout(WAIT_MS)
            sight = Sight(page, served)
            seen.append(sight)
            watch(sight, served.url)
            await page.goto(served.url)
            return sight

        yield opened
    for sight in seen:
        assert sight.hosts == []
        assert [c for c in sight.complaints if not c.startswith(sight.expected)] == []


def watch(sight: Sight, own: str) -> None:
    """Note what the page asks of others, and its complaints."""
    page = sight.page
    page.on("pageerror", lambda error: sight.complaints.append(str(error)))
    page.on(
        "console",
        lambda message: (
            sight.complaints.append(message.text) if message.type in ("error", "warning") else None
        ),
    )
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((own, "blob:")) else sight.hosts.append(request.url)
        ),
    )
