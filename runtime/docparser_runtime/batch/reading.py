"""Has documents read by a service, several at a time, each as a task that outlives us both."""

import asyncio
import hashlib
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

import httpx

from docparser_runtime.batch.console import STDIN
from docparser_runtime.batch.contents import ENDINGS, Answers, Read, in_forms
from docparser_runtime.batch.downloads import DownloadError, downloaded
from docparser_runtime.batch.outputs import Outputs, Work
from docparser_runtime.batch.progress import Outcome, Progress
from docparser_runtime.batch.sources import Source
from docparser_runtime.client import (
    ApiError,
    AsyncClient,
    BusyError,
    ClientError,
    Form,
    Options,
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
        options: how documents are read; a password may be among them.
        priority: who comes first; None when nothing was said.
    """

    options: Options = field(default_factory=Options, repr=False)
    priority: Literal["low", "normal", "high"] | None = None

    @property
    def task_options(self) -> TaskOptions:
        """The same for a task."""
        return TaskOptions(**dict(self.options), priority=self.priority or "normal")

    @property
    def work(self) -> dict[str, Any]:
        """What makes one answer another than that to the same document otherwise read."""
        return self.options.model_dump(exclude_defaults=True, exclude={"password"})


class Reader:
    """Reads single documents.

    Attributes:
        wishes: how they are read.
        keeps_tasks: whether the service does, as far as is known.
    """

    def __init__(self, client: AsyncClient, wishes: Wishes, forms: Sequence[Form]) -> None:
        self.wishes = wishes
        self.keeps_tasks = True
        self._client = client
        self._forms = tuple(forms)

    async def read(self, document: bytes, moved: Callable[[float], None]) -> Read:
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

    async def _once(self, document: bytes, moved: Callable[[float], None]) -> Read:
        if self.keeps_tasks:
            try:
                return await self._by_task(document, moved)
            except TasksDisabledError:
                if self.wishes.priority is not None:
                    raise
                self.keeps_tasks = False
        client, options = self._client, self.wishes.options
        at_once = Answers(
            lambda: client.parse(document, options),
            lambda form: client.parse_as(document, form, options),
        )
        return await in_forms(self._forms, at_once)

    async def _by_task(self, document: bytes, moved: Callable[[float], None]) -> Read:
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
        return await self._of_task(task)

    async def _submitted(self, document: bytes, salt: str) -> Task:
        options = self.wishes.task_options
        # Whoever runs this command again after the same failure asks for the same new task.
        key = idempotency_key(document, options, salt)
        return await self._client.submit(document, options, idempotency_key=key)

    async def _of_task(self, task: Task) -> Read:
        client = self._client
        results = Answers(lambda: client.result(task), lambda form: client.result_as(task, form))
        return replace(await in_forms(self._forms, results), pages=task.pages)

    async def _result(self, task: Task, moved: Callable[[float], None]) -> Read:
        while True:
            while not has_ended(task):
                task = await self._client.task(task, _LOOK_SECONDS)
                moved(task.pages_done / max(task.pages, 1))
            try:
                return await self._of_task(task)
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
        self, reader: Reader, outputs: Outputs, forms: Sequence[Form], web: httpx.AsyncClient
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
        digest = await asyncio.to_thread(lambda: hashlib.sha256(document).hexdigest())
        work = Work(source.name, digest, self._reader.wishes.work)
        endings = tuple(ENDINGS[form] for form in self._forms)
        if await asyncio.to_thread(self._outputs.is_done, work, endings):
            return Outcome(source.name, "skipped", "done before")
        read = await self._reader.read(document, lambda share: progress.moved(source.name, share))
        contents = {ENDINGS[form]: written for form, written in read.contents.items()}
        await asyncio.to_thread(self._outputs.write, work, contents)
        return Outcome(source.name, "read", _pages(read.pages))


def _pages(count: int | None) -> str:
    return "" if count is None else "1 page" if count == 1 else f"{count} pages"


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
