"""Has documents read by a service, several at a time, each as a task that outlives us both."""

import asyncio
import hashlib
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import httpx

from docparser_runtime.batch.console import STDIN
from docparser_runtime.batch.downloads import DownloadError, downloaded
from docparser_runtime.batch.outputs import Outputs
from docparser_runtime.batch.progress import Outcome, Progress
from docparser_runtime.batch.sources import Source
from docparser_runtime.client import (
    ApiError,
    AsyncClient,
    BusyError,
    ClientError,
    Options,
    ParseResponse,
    Task,
    TaskGoneError,
    TaskOptions,
    TasksDisabledError,
    UnauthorizedError,
    UnreachableError,
)
from docparser_runtime.client.answers import has_ended
from docparser_runtime.client.calls import idempotency_key

_LOOK_SECONDS: Final = 2.0
"""Time between two looks at how far a task is."""
_MOST_ATTEMPTS: Final = 8
"""Tasks that may have come to nothing before: failed, cancelled or forgotten."""
_BUSY_ROUNDS: Final = 20
"""How often a service that stays busy beyond the client's patience is asked once more: in all about
half an hour for each document, since others may have filled its queue."""
_LONGEST_PAUSE_SECONDS: Final = 300.0
_OF_ALL: Final = (UnauthorizedError, UnreachableError)
"""What is no fault of one document: the others would meet it, too."""


@dataclass(frozen=True)
class Wishes:
    """What is asked of the service.

    Attributes:
        priority: who comes first; None when nothing was said.
        password: of encrypted documents. Tasks keep none, so there are no tasks then.
    """

    priority: Literal["low", "normal", "high"] | None = None
    password: str | None = field(default=None, repr=False)


class Reader:
    """Reads single documents.

    Attributes:
        keeps_tasks: whether the service does, as far as is known.
    """

    def __init__(self, client: AsyncClient, wishes: Wishes) -> None:
        self.keeps_tasks = wishes.password is None
        self._client = client
        self._wishes = wishes

    async def answer(self, document: bytes, moved: Callable[[float], None]) -> ParseResponse:
        """Return what the document says; `moved` is told which share of it has been read.

        Raises:
            ClientError: it cannot be read.
        """
        for _ in range(_BUSY_ROUNDS):
            try:
                return await self._once(document, moved)
            except BusyError as error:
                pause = min(error.retry_after_seconds or 0.0, _LONGEST_PAUSE_SECONDS)
                await asyncio.sleep(pause)
        return await self._once(document, moved)

    async def _once(self, document: bytes, moved: Callable[[float], None]) -> ParseResponse:
        if self.keeps_tasks:
            try:
                return await self._by_task(document, moved)
            except TasksDisabledError:
                if self._wishes.priority is not None:
                    raise
                self.keeps_tasks = False
        return await self._client.parse(document, Options(password=self._wishes.password))

    async def _by_task(self, document: bytes, moved: Callable[[float], None]) -> ParseResponse:
        salt = ""
        for _ in range(_MOST_ATTEMPTS):
            task = await self._submitted(document, salt)
            if task.status in ("failed", "cancelled"):
                salt = task.id  # It came to nothing in an earlier run; this one shall try anew.
                continue
            try:
                return await self._result(task, moved)
            except TaskGoneError:
                continue  # The service has forgotten it, and its key.
        return await self._client.result(task)

    async def _submitted(self, document: bytes, salt: str) -> Task:
        options = TaskOptions(priority=self._wishes.priority or "normal")
        # Whoever runs this command again after the same failure asks for the same new task.
        key = idempotency_key(document, options, salt)
        return await self._client.submit(document, options, idempotency_key=key)

    async def _result(self, task: Task, moved: Callable[[float], None]) -> ParseResponse:
        while True:
            while not has_ended(task):
                task = await self._client.task(task, _LOOK_SECONDS)
                moved(task.pages_done / max(task.pages, 1))
            try:
                return await self._client.result(task)
            except ApiError as error:
                if error.code != "task_not_done":
                    raise
            # Its result was damaged, so that it is being read again.
            task = await self._client.task(task)


class Batch:
    """Reads many documents.

    Attributes:
        failure: what ended the batch before all documents had their turn, if anything.
    """

    def __init__(
        self, reader: Reader, outputs: Outputs, forms: Sequence[str], web: httpx.AsyncClient
    ) -> None:
        self.failure: ClientError | None = None
        self._reader = reader
        self._outputs = outputs
        self._forms = tuple(forms)
        self._web = web

    async def run(
        self, sources: Sequence[Source], parallel: int, progress: Progress
    ) -> list[Outcome]:
        """Return what became of the documents; those that had no turn are left out."""
        waiting, outcomes = deque(sources), list[Outcome]()

        async def work() -> None:
            while waiting and self.failure is None:
                outcome = await self._outcome(waiting.popleft(), progress)
                outcomes.append(outcome)
                progress.ended(outcome)

        await asyncio.gather(*(work() for _ in range(min(parallel, len(sources)))))
        return outcomes

    async def _outcome(self, source: Source, progress: Progress) -> Outcome:
        try:
            return await self._read(source, progress)
        except ClientError as error:
            if isinstance(error, _OF_ALL):
                self.failure = error
            return Outcome(source.name, "failed", str(error))
        except DownloadError as error:
            return Outcome(source.name, "failed", str(error))
        except OSError as error:
            return Outcome(source.name, "failed", error.strerror or "cannot be read or written")

    async def _read(self, source: Source, progress: Progress) -> Outcome:
        document = await content(source, self._web)
        sha256 = hashlib.sha256(document).hexdigest()
        endings = tuple(ENDINGS[form] for form in self._forms)
        if await asyncio.to_thread(self._outputs.is_done, source.name, sha256, endings):
            return Outcome(source.name, "skipped", "done before")
        answer = await self._reader.answer(
            document, lambda share: progress.moved(source.name, share)
        )
        contents = {ENDINGS[form]: TEXTS[form](answer) for form in self._forms}
        await asyncio.to_thread(self._outputs.write, source.name, sha256, contents)
        return Outcome(source.name, "read", f"{len(answer.pages)} pages")


async def content(source: Source, web: httpx.AsyncClient) -> bytes:
    """Return the bytes of a document.

    Raises:
        OSError: it cannot be read.
        DownloadError: it cannot be fetched.
    """
    if source.is_url:
        return await downloaded(web, source.place)
    if source.place == STDIN:
        return await asyncio.to_thread(sys.stdin.buffer.read)
    return await asyncio.to_thread(Path(source.place).read_bytes)


def as_json(answer: ParseResponse) -> str:
    """Return the answer as JSON for people and programs."""
    return answer.model_dump_json(indent=2) + "\n"


def as_markdown(answer: ParseResponse) -> str:
    """Return the text."""
    return answer.content + "\n"


TEXTS: Final[dict[str, Callable[[ParseResponse], str]]] = {
    "markdown": as_markdown,
    "json": as_json,
}
"""What is written of an answer, by form."""
ENDINGS: Final = {"markdown": ".md", "json": ".json"}
"""What is put behind a document's name, by form."""
