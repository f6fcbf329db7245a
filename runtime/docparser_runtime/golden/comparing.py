"""Asks both services and tells what it found, never what a document says."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer
from docparser_api.golden import Fault, GoldenFault, GoldenOutcome, GoldenReport, Side, line_of

from docparser_runtime import config
from docparser_runtime.farewell import TERMINATION_LOG, one_line
from docparser_runtime.golden.client import answers
from docparser_runtime.golden.documents import GoldenError, documents_in
from docparser_runtime.golden.report import failures_of, report

_LONGEST_MESSAGE: Final = 500
"""Characters; as JSON they take at most 3,000 bytes."""


@dataclass(frozen=True)
class Comparing:
    """What is compared, and where the outcome goes.

    Attributes:
        documents: directory with the pairs of files.
        urls: addresses of both services.
        timeout_seconds: longest time for one document on one side, other tries included.
        termination_log: file for the outcome; None is the one of a container, where there is one.
    """

    documents: Path
    urls: Mapping[Side, str]
    timeout_seconds: float
    termination_log: Path | None = None


def run(comparing: Comparing, environ: Mapping[str, str]) -> bool:
    """Compare, print the outcome and put it into the termination log.

    Return whether both sides could be scored, whatever the scores.
    """
    try:
        outcome: GoldenOutcome = asyncio.run(_compared(comparing, environ))
    except GoldenError as error:
        outcome = _fault(error.code, error.message)
    except config.ConfigError as error:
        outcome = _fault("invalid_token", str(error))
    line = line_of(outcome)
    typer.echo(line)
    _tell_kubernetes(line, comparing.termination_log)
    return isinstance(outcome, GoldenReport)


async def _compared(comparing: Comparing, environ: Mapping[str, str]) -> GoldenReport:
    documents = await asyncio.to_thread(documents_in, comparing.documents)
    token = config.token(environ)
    found = await answers(documents, comparing.urls, token, comparing.timeout_seconds)
    for failure in failures_of(documents, found):
        # The report may have no room for all of them.
        typer.echo(f"{failure.document}: {failure.side}: {failure.code}", err=True)
    return await asyncio.to_thread(report, documents, found)


def _fault(code: str, message: str) -> GoldenFault:
    return GoldenFault(error=Fault(code=code, message=one_line(message)[:_LONGEST_MESSAGE]))


def _tell_kubernetes(line: str, path: Path | None) -> None:
    if path is not None:
        try:
            path.write_text(line, encoding="utf-8")
        except OSError as error:
            typer.echo(f"{path} cannot be written: {error.strerror}", err=True)
        return
    with suppress(OSError):
        file = os.open(TERMINATION_LOG, os.O_WRONLY | os.O_TRUNC)  # never creates it
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)
