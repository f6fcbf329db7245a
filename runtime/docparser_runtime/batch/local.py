"""Reads one document with an engine of this process."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from docparser_runtime.batch.console import (
    EXIT_FAILED,
    EXIT_LOAD_FAILED,
    EXIT_USAGE,
    STDIN,
    stop,
)
from docparser_runtime.result_forms import MEDIA_TYPES, Form

if TYPE_CHECKING:
    from docparser_runtime.schemas import Options, ParseResponse
    from docparser_runtime.uploads import Upload


def parse(file: str, options: "Options", engine: str | None, form: Form) -> None:
    """Print what a document says, or end the command with the reason why not."""
    from docparser_runtime import wiring  # noqa: PLC0415
    from docparser_runtime.config import ConfigError  # noqa: PLC0415
    from docparser_runtime.engine.base import EngineLoadError  # noqa: PLC0415
    from docparser_runtime.errors import DocParserError  # noqa: PLC0415

    upload = _upload(file, options)
    try:
        answer = wiring.parse(os.environ, upload, engine)
    except ConfigError as error:
        stop(str(error), EXIT_USAGE)
    except EngineLoadError as error:
        stop(str(error), EXIT_LOAD_FAILED)
    except DocParserError as error:
        stop(f"{error.code}: {error.detail}", EXIT_FAILED)
    typer.echo(_written(answer, options, form))


def _written(answer: "ParseResponse", options: "Options", form: Form) -> str:
    from docparser_runtime import answers  # noqa: PLC0415

    if form == "json":
        return answer.model_dump_json(indent=2)
    return answers.text(answer.pages, MEDIA_TYPES[form], options)


def _upload(file: str, options: "Options") -> "Upload[Options]":
    from docparser_runtime.uploads import Upload  # noqa: PLC0415

    try:
        content = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    except OSError as error:
        stop(f"cannot read {file}: {error.strerror}", EXIT_FAILED)
    if not content:
        stop("empty_document: the file has no content", EXIT_FAILED)
    return Upload((content,), options)
