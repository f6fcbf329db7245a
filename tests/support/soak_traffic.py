"""Requests of every kind that a service meets: good, bad, given up, and those that ask in vain."""

import asyncio
import io
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
import pikepdf
from docparser_api.names import PATH_PARSE, PATH_TASKS
from support.mutations import corpus, whole_documents
from support.sample_document import prose_pdf

FORMS = ("application/json", "text/markdown", "text/plain", "text/html", "application/pdf")
PASSWORD = "open-sesame"
MOST_PAGES = 12
LARGEST_BYTES = 1024**2
LIMITS = {"maxPages": MOST_PAGES, "maxBodyBytes": LARGEST_BYTES, "pageTimeoutSeconds": 3}
"""Configuration of the service on which the refusals below depend."""
SEED = 5
_MUTANTS = 90
_STARTED_SECONDS = 0.05


def locked(content: bytes) -> bytes:
    """Return a PDF that needs a password."""
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as pdf:
        pdf.save(buffer, encryption=pikepdf.Encryption(owner="owner", user=PASSWORD))
    return buffer.getvalue()


class Unexpected(Exception):  # noqa: N818 (it is what the service did)
    """The service answered what it should not have."""


@dataclass
class Traffic:
    """Clients of one service, which do one thing after the other.

    Attributes:
        documents: sound ones.
        pause_seconds: how long a client does nothing between two requests, at most.
        done: what was done, how often.
        surprises: answers that should not have been, how often.
    """

    documents: Sequence[bytes]
    pause_seconds: float
    done: Counter[str] = field(default_factory=Counter)
    surprises: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._chance = random.Random(SEED)  # noqa: S311 (a test's dice)
        self._locked = locked(prose_pdf(1))
        self._too_long = prose_pdf(MOST_PAGES + 1)
        self._mutants = list(corpus(_MUTANTS, SEED))
        self._deeds: dict[str, tuple[int, Callable[[httpx.AsyncClient], Awaitable[None]]]] = {
            "synchronous": (6, self._synchronous),
            "stream": (3, self._stream),
            "task": (4, self._task),
            "cancelled task": (2, self._cancelled),
            "damaged": (4, self._damaged),
            "too large": (1, self._too_large),
            "too many pages": (1, self._too_many_pages),
            "encrypted": (2, self._encrypted),
            "leaves a request": (1, self._leaves_request),
            "leaves a stream": (1, self._leaves_stream),
            "leaves an upload": (1, self._leaves_upload),
            "leaves events": (1, self._leaves_events),
        }

    async def run(self, url: str, clients: int, seconds: float) -> None:
        """Return after so long, with all connections closed."""
        until = asyncio.get_running_loop().time() + seconds
        async with (
            httpx.AsyncClient(base_url=url, timeout=120) as http,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(clients):
                group.create_task(self._client(http, until))

    async def _client(self, http: httpx.AsyncClient, until: float) -> None:
        names, weights = [*self._deeds], [weight for weight, _ in self._deeds.values()]
        while asyncio.get_running_loop().time() < until:
            (name,) = self._chance.choices(names, weights)
            try:
                await self._deeds[name][1](http)
            except Unexpected as surprise:
                self.surprises[f"{name}: {surprise}"] += 1
            except httpx.TransportError as error:
                self.surprises[f"{name}: {type(error).__name__}"] += 1
            self.done[name] += 1
            await asyncio.sleep(self._chance.uniform(0, self.pause_seconds))

    def _files(self, content: bytes | None = None) -> dict[str, tuple[str, bytes]]:
        return {"file": ("document", content or self._chance.choice(self.documents))}

    async def _synchronous(self, http: httpx.AsyncClient) -> None:
        accept = {"Accept": self._chance.choice(FORMS)}
        expect(await http.post(PATH_PARSE, files=self._files(), headers=accept), 200)

    async def _stream(self, http: httpx.AsyncClient) -> None:
        request = http.stream("POST", PATH_PARSE, files=self._files(), params={"stream": "true"})
        async with request as answer:
            lines = [line async for line in answer.aiter_lines()]
            if answer.status_code != 200 or "event: done" not in lines:
                raise Unexpected(f"stream {answer.status_code} without its end")

    async def _submitted(self, http: httpx.AsyncClient) -> str:
        answer = await http.post(PATH_TASKS, files=self._files())
        return str(expect(answer, 202).json()["id"])

    async def _task(self, http: httpx.AsyncClient) -> None:
        path = f"{PATH_TASKS}/{await self._submitted(http)}"
        async with http.stream("GET", f"{path}/events") as events:
            async for _ in events.aiter_lines():
                pass
        status = expect(await http.get(path, params={"wait": 60}), 200).json()["status"]
        if status != "done":
            raise Unexpected(f"task {status}")
        for form in FORMS:
            expect(await http.get(f"{path}/result", headers={"Accept": form}), 200)

    async def _cancelled(self, http: httpx.AsyncClient) -> None:
        path = f"{PATH_TASKS}/{await self._submitted(http)}"
        expect(await http.delete(path), 200, 409)
        expect(await http.get(f"{path}/result"), 200, 409, 410)

    async def _damaged(self, http: httpx.AsyncClient) -> None:
        mutant = self._chance.choice(self._mutants)
        path = self._chance.choice((PATH_PARSE, PATH_TASKS))
        answer = await http.post(path, files=self._files(mutant.content or b"%PDF"))
        if answer.status_code >= 500:
            raise Unexpected(f"{answer.status_code} for {mutant.name}")

    async def _too_large(self, http: httpx.AsyncClient) -> None:
        with suppress(httpx.WriteError, httpx.ReadError):
            # The service need not read a body to its end that it refuses.
            expect(await http.post(PATH_PARSE, files=self._files(bytes(LARGEST_BYTES + 1))), 413)

    async def _too_many_pages(self, http: httpx.AsyncClient) -> None:
        expect(await http.post(PATH_PARSE, files=self._files(self._too_long)), 413, 422)

    async def _encrypted(self, http: httpx.AsyncClient) -> None:
        password, status = self._chance.choice([(PASSWORD, 200), ("wrong", 422), (None, 422)])
        form = {} if password is None else {"password": password}
        expect(await http.post(PATH_PARSE, files=self._files(self._locked), data=form), status)

    async def _leaves_request(self, http: httpx.AsyncClient) -> None:
        asking = asyncio.create_task(http.post(PATH_PARSE, files=self._files()))
        await asyncio.wait([asking], timeout=self._chance.uniform(0, _STARTED_SECONDS))
        asking.cancel()
        await asyncio.wait([asking])

    async def _leaves_stream(self, http: httpx.AsyncClient) -> None:
        request = http.stream("POST", PATH_PARSE, files=self._files(), params={"stream": "true"})
        async with request as answer:
            async for _ in answer.aiter_lines():
                return

    async def _leaves_events(self, http: httpx.AsyncClient) -> None:
        path = f"{PATH_TASKS}/{await self._submitted(http)}"
        async with http.stream("GET", f"{path}/events") as answer:
            async for _ in answer.aiter_lines():
                return

    async def _leaves_upload(self, http: httpx.AsyncClient) -> None:
        port, path = http.base_url.port, self._chance.choice((PATH_PARSE, PATH_TASKS))
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/pdf\r\n"
        writer.write(f"{head}Content-Length: 100000\r\n\r\n%PDF-1.7".encode())
        await writer.drain()
        writer.close()


def expect(answer: httpx.Response, *statuses: int) -> httpx.Response:
    """Return the answer, whose status must be one of these."""
    if answer.status_code not in statuses:
        raise Unexpected(f"{answer.status_code} {answer.text[:120]}")
    return answer


def many_documents() -> list[bytes]:
    """Return sound documents of all kinds, for an engine that costs nothing."""
    return [*whole_documents().values(), *(prose_pdf(pages) for pages in (1, 3, 8))]


def short_documents() -> list[bytes]:
    """Return documents that an engine reads in a second or so."""
    whole = whole_documents()
    return [prose_pdf(1), *(whole[name] for name in ("PNG", "JPEG", "TIFF", "HEIC", "GIF"))]
