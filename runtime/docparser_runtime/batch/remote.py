"""Has documents read by a service: one to standard output, or many into a directory."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import typer

from docparser_runtime.batch import reading
from docparser_runtime.batch.console import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    shown,
    stop,
    tell,
)
from docparser_runtime.batch.downloads import DownloadError, web
from docparser_runtime.batch.outputs import OutputError, Outputs
from docparser_runtime.batch.progress import Outcome, progress
from docparser_runtime.batch.reading import Batch, Reader, Wishes
from docparser_runtime.batch.sources import Found, Source, SourceError, found
from docparser_runtime.client import AsyncClient, ClientError, Form, Settings


@dataclass(frozen=True)
class Order:
    """What the command was told.

    Attributes:
        output: directory of outputs; None for standard output.
        forms: what is written of each document; exactly one for standard output.
    """

    documents: Sequence[str]
    server: str
    token: str | None = field(repr=False)
    output: Path | None
    forms: tuple[Form, ...]
    parallel: int
    wishes: Wishes

    def client(self) -> AsyncClient:
        """Return who asks the service.

        Raises:
            ValueError: it has no proper address.
        """
        # Each document sends one request at a time.
        return AsyncClient(self.server, self.token, settings=Settings(connections=self.parallel))


def parse(order: Order) -> None:
    """Read the documents, or end the command with the reason why not."""
    try:
        meant = found(order.documents)
        code = asyncio.run(_parse(order, meant))
    except (SourceError, OutputError) as error:
        stop(str(error), EXIT_FAILED)
    except ValueError as error:
        stop(f"--server: {error}", EXIT_USAGE)
    except KeyboardInterrupt:
        stop("interrupted; the same command goes on from here", EXIT_INTERRUPTED)
    raise typer.Exit(code)


async def _parse(order: Order, meant: Found) -> int:
    async with order.client() as client, web() as http:
        reader = Reader(client, order.wishes, order.forms)
        if order.output is None:
            if len(meant.sources) != 1:
                stop("--output DIR is needed where there is not exactly one document", EXIT_USAGE)
            return await _printed(meant.sources[0], reader, http)
        with Outputs.opened(order.output) as outputs:
            batch = Batch(reader, outputs, order.forms, http)
            with progress(len(meant.sources)) as told:
                outcomes = await batch.run(meant.sources, order.parallel, told)
    return _summed_up(meant, outcomes, batch.failure)


async def _printed(source: Source, reader: Reader, http: httpx.AsyncClient) -> int:
    try:
        read = await reader.read(await reading.content(source, http), lambda _: None)
    except (ClientError, DownloadError) as error:
        tell(str(error))
        return EXIT_FAILED
    except OSError as error:
        tell(f"cannot read {source.place}: {error.strerror}")
        return EXIT_FAILED
    for content in read.contents.values():  # there is one
        typer.echo(content, nl=False)
    return 0


def _summed_up(meant: Found, outcomes: Sequence[Outcome], failure: ClientError | None) -> int:
    """Tell what became of the documents, and return the exit code."""
    for outcome in outcomes:
        if outcome.state == "failed" and sys.stderr.isatty():
            typer.echo(shown(f"failed {outcome.name}: {outcome.detail}"), err=True)
    count = Counter(outcome.state for outcome in outcomes)
    left = len(meant.sources) - len(outcomes)
    tell(
        f"{count['read']} read, {count['skipped']} done before, {count['failed']} failed, "
        f"{left} not tried, {meant.passed_over} other files passed over"
    )
    if failure is not None:
        tell(f"ended early: {failure}")
    return EXIT_FAILED if count["failed"] or left else 0
