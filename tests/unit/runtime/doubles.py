"""Doubles of documents and engines, and a service made of them, reached without a network."""

import asyncio
import io
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from docparser_runtime.context import Context
from docparser_runtime.documents.base import DocumentInfo
from docparser_runtime.engine.base import (
    Block,
    BlockKind,
    Box,
    DeviceUse,
    PageImage,
    PageResult,
    ParseOptions,
)
from docparser_runtime.engine.listening import UNHEARD, Listener
from docparser_runtime.engine.tiers import NO_TIERS, Tier
from docparser_runtime.errors import PasswordInvalid, PasswordRequired, UnsupportedMediaType
from docparser_runtime.outputs.page_text import PageText

PARSE = "/v1/document/parse"


def a_document(pages: int = 1, *, repaired: bool = False, password: str | None = None) -> bytes:
    """Return a document that `Reader` opens."""
    return json.dumps({"pages": pages, "repaired": repaired, "password": password}).encode()


@dataclass
class OpenDocument:
    info: DocumentInfo
    plain: bytes
    texts: list[PageText] = field(default_factory=list)

    async def page(self, index: int) -> PageImage:
        return PageImage(index, np.zeros((20, 30 + index, 3), np.uint8))

    async def decrypted(self) -> bytes:
        return self.plain

    async def add_text(self, index: int, text: PageText) -> None:
        assert index == len(self.texts), "once each page, in order"
        self.texts.append(text)

    async def searchable(self) -> bytes:
        """Return the texts of each page, as JSON."""
        assert len(self.texts) == self.info.page_count
        return json.dumps([[one.text for one in text.passages] for text in self.texts]).encode()


@dataclass
class Reader:
    """Opens what `a_document` makes, and remembers how many are open."""

    opened: int = 0
    closed: int = 0

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    @asynccontextmanager
    async def open(
        self, content: bytes, password: str | None = None
    ) -> AsyncIterator[OpenDocument]:
        try:
            values = json.loads(content)
        except ValueError:
            raise UnsupportedMediaType("No document.") from None
        if values["password"] and password is None:
            raise PasswordRequired("A password is needed.")
        if values["password"] and password != values["password"]:
            raise PasswordInvalid("The password is wrong.")
        self.opened += 1
        try:
            info = DocumentInfo(
                "application/pdf", values["pages"], values["repaired"], bool(values["password"])
            )
            yield OpenDocument(info, json.dumps({**values, "password": None}).encode())
        finally:
            self.closed += 1


def _read(page: PageImage, options: ParseOptions) -> PageResult:
    text = f"page {page.index} of {page.width} pixels, {options.max_new_tokens} tokens"
    block = Block(BlockKind.TITLE, text, f"# {text}", Box(0, 1, 2, 3), confidence=0.5, level=1)
    return PageResult(f"# {text}", (block,), vision_tokens=7)


@dataclass
class ScriptedEngine:
    """Reads by `read`; holds back while `hold` is set. Tells its listener by `tell`."""

    name: str = "scripted"
    generates: bool = False
    tiers: frozenset[Tier] = NO_TIERS
    used: Sequence[DeviceUse] = ()
    read: Callable[[PageImage, ParseOptions], PageResult] = _read
    tell: Callable[[Listener], None] = lambda _: None
    on_load: Callable[[], None] = lambda: None
    running: int = 0
    most_running: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _go: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._go.set()

    def hold(self) -> None:
        self._go.clear()

    def release(self) -> None:
        self._go.set()

    def load(self) -> None:
        self.on_load()

    def warmup(self) -> None: ...

    def close(self) -> None: ...

    def devices(self) -> Sequence[DeviceUse]:
        return self.used

    def parse(
        self, page: PageImage, options: ParseOptions, listener: Listener = UNHEARD
    ) -> PageResult:
        with self._lock:
            self.running += 1
            self.most_running = max(self.running, self.most_running)
        try:
            assert self._go.wait(10)
            self.tell(listener)
            return self.read(page, options)
        finally:
            with self._lock:
                self.running -= 1


@dataclass
class Service:
    """A running service, without a network."""

    context: Context
    engine: ScriptedEngine
    reader: Reader
    client: httpx.AsyncClient
    app: Any
    log: io.StringIO
    directory: Path | None = None

    async def metric(self, name: str) -> float:
        """Return the sum of the metric's values over its labels."""
        text = (await self.client.get("/metrics")).text
        lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
        return sum(float(value) for key, _, value in lines if key.partition("{")[0] == name)

    def log_lines(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.getvalue().splitlines()]
        return [line for line in lines if line["event"] == event]


StartService = Callable[..., Awaitable[Service]]


async def eventually(condition: Callable[[], bool | Awaitable[bool]], seconds: float = 20) -> None:
    """Return as soon as `condition` holds."""
    async with asyncio.timeout(seconds):
        while True:
            holds = condition()
            if holds if isinstance(holds, bool) else await holds:
                return
            await asyncio.sleep(0.005)
