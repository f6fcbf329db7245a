"""Asks a service: for texts of samples, for what it is, and for what it takes."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Self

import httpx
from docparser_api.names import PATH_CONFIG, PATH_METRICS
from prometheus_client.parser import text_string_to_metric_families
from pydantic import BaseModel

from docparser_runtime.client import (
    ApiError,
    AsyncClient,
    ClientError,
    InvalidAnswerError,
    Options,
    Retrying,
    Settings,
    TimedOutError,
    answers,
    connection,
)
from docparser_runtime.client.connection import PLAIN
from docparser_runtime.kit.classes import work_of
from docparser_runtime.kit.figures import Request
from docparser_runtime.kit.report import About
from docparser_runtime.kit.samples import Sample

MEMORY: Final = "process_resident_memory_bytes"
VRAM_PREFIX: Final = "docparser_vram_"
_SCRAPE_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Reading:
    """What the service read, and when."""

    request: Request
    text: str


class _Model(BaseModel):
    engine: str
    name: str | None


class _Config(BaseModel):
    model: _Model
    version: str


class Service:
    """A service under assessment. Nothing is tried again: what it refuses is part of the picture.

    Args:
        most_clients: most requests at the same time.
        timeout_seconds: longest time for one answer.
        options: how documents are to be read.

    Raises:
        ValueError: `url` is no address of a service.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        most_clients: int,
        timeout_seconds: float,
        options: Options = PLAIN,
    ) -> None:
        self._options = options
        settings = Settings(retrying=Retrying(tries=1), connections=most_clients)
        self._client = AsyncClient(url, token, timeout_seconds, settings=settings)
        self._http = httpx.AsyncClient(**connection.options(url, token, timeout_seconds, settings))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()
        await self._http.aclose()

    @property
    def address(self) -> str:
        """The service's address, without a user's name or password that may stand in it."""
        url = self._http.base_url
        return f"{url.scheme}://{url.netloc.decode()}{url.path.rstrip('/')}"

    async def about(self) -> About:
        """Return what the service is.

        Raises:
            ClientError: it does not say.
        """
        config = answers.body(_Config, await self._got(PATH_CONFIG))
        return About(config.model.engine, config.model.name or config.model.engine, config.version)

    async def reading(self, sample: Sample) -> Reading:
        """Return what the service reads in a sample.

        Raises:
            ClientError: it does not read it.
            OSError: the sample's file cannot be read.
        """
        content = await asyncio.to_thread(sample.file.read_bytes)
        began = time.perf_counter()
        answer = await self._client.parse(content, self._options)
        ended = time.perf_counter()
        request = Request(sample.name, len(answer.pages), began, ended, work_of(answer))
        return Reading(request, answer.content)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[dict[str, float]]:
        """Yield the peaks of memory by metric, which grow meanwhile and may stay empty."""
        peaks: dict[str, float] = {}
        watching = asyncio.create_task(self._watch(peaks))
        try:
            yield peaks
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _watch(self, peaks: dict[str, float]) -> None:
        while True:
            try:
                found = memory(await self._got(PATH_METRICS))
            except ClientError:
                found = {}  # others may not be allowed to see them; then there are no peaks
            for name, value in found.items():
                peaks[name] = max(value, peaks.get(name, 0.0))
            await asyncio.sleep(_SCRAPE_SECONDS)

    async def _got(self, path: str) -> bytes:
        try:
            response = await self._http.get(path)
        except httpx.HTTPError as error:
            raise connection.failure(error) from None
        if response.status_code != HTTPStatus.OK:
            raise answers.error(connection.answer(response))
        return response.content


def memory(exposition: bytes) -> Mapping[str, float]:
    """Return the gauges of memory in a text of Prometheus, summed over their labels.

    Raises:
        InvalidAnswerError: it is no such text.
    """
    found: dict[str, float] = {}
    try:
        for family in text_string_to_metric_families(exposition.decode()):
            for sample in family.samples:
                if sample.name == MEMORY or sample.name.startswith(VRAM_PREFIX):
                    found[sample.name] = found.get(sample.name, 0.0) + sample.value
    except ValueError:
        raise InvalidAnswerError("The answer holds no metrics.") from None
    return found


def code_of(error: ClientError | OSError) -> str:
    """Return the name of the kind of a failure."""
    match error:
        case ApiError():
            return error.code
        case TimedOutError():
            return "timeout"
        case InvalidAnswerError():
            return "invalid_answer"
        case OSError():
            return "unreadable"
    return "unreachable"
