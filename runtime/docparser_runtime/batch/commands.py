"""The command `parse`."""

import sys
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from docparser_runtime.batch.console import EXIT_FAILED, EXIT_USAGE, STDIN, stop

Format = Literal["markdown", "json", "both"]
Priority = Literal["low", "normal", "high"]
_MOST_PARALLEL: Final = 64

Documents = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE|DIR|URL...",
        help="Documents to read; - reads standard input. With --server, all documents below a "
        "directory, and what lies at http(s) URLs: this command downloads it, the service does "
        "not.",
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Service that reads, as tasks if it keeps any. Default: this process."
    ),
]
TokenFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="File with the bearer token of the service.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Directory of outputs, a tree like that of the documents. What lies there and is "
        "whole is not read again.",
    ),
]
Forms = Annotated[
    Format | None, typer.Option("--format", help="What is written. Default: markdown.")
]
AsJson = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Parallel = Annotated[
    int | None,
    typer.Option(help="Documents at the same time. Default: 4.", min=1, max=_MOST_PARALLEL),
]
First = Annotated[Priority | None, typer.Option("--priority", help="Who comes first.")]
PasswordStdin = Annotated[
    bool,
    typer.Option(
        "--password-stdin",
        help="Take a password from standard input. A service is then asked to answer at once, as "
        "tasks keep no passwords.",
    ),
]
Engine = Annotated[str | None, typer.Option(help="Engine of this process, such as rapidocr.")]


def parse(  # noqa: PLR0913 (the options of a command)
    documents: Documents,
    *,
    server: Server = None,
    token_file: TokenFile = None,
    output: Output = None,
    form: Forms = None,
    as_json: AsJson = False,
    parallel: Parallel = None,
    priority: First = None,
    password_stdin: PasswordStdin = False,
    engine: Engine = None,
) -> None:
    """Read documents and print what they say, or write it below a directory."""
    if as_json and form not in (None, "json"):
        stop("--json and --format contradict each other", EXIT_USAGE)
    form = "json" if as_json else form or "markdown"
    remote_only: dict[str, object] = {
        "--token-file": token_file,
        "--output": output,
        "--parallel": parallel,
        "--priority": priority,
    }
    _check(server, documents, form, remote_only, engine, has_output=output is not None)
    password = _password(documents, priority) if password_stdin else None
    if server is None:
        from docparser_runtime.batch import local  # noqa: PLC0415

        local.parse(documents[0], password, engine, as_json=form == "json")
        return
    from docparser_runtime.batch.reading import Wishes  # noqa: PLC0415
    from docparser_runtime.batch.remote import Order  # noqa: PLC0415
    from docparser_runtime.batch.remote import parse as parse_remotely  # noqa: PLC0415

    wishes = Wishes(priority, password)
    token = None if token_file is None else token_in(token_file)
    parse_remotely(Order(documents, server, token, output, form, parallel or 4, wishes))


def _check(
    server: str | None,
    documents: list[str],
    form: Format,
    remote_only: dict[str, object],
    engine: str | None,
    *,
    has_output: bool,
) -> None:
    """Refuse options that would have no effect."""
    given = [name for name, value in remote_only.items() if value is not None]
    if server is None and given:
        stop(f"{', '.join(given)}: only with --server", EXIT_USAGE)
    if server is None and len(documents) > 1:
        stop("several documents are read with --server only", EXIT_USAGE)
    if server is not None and engine is not None:
        stop("--engine: the service has its own; leave it out with --server", EXIT_USAGE)
    if form == "both" and not has_output:
        stop("--format both: only with --output", EXIT_USAGE)


def _password(documents: list[str], priority: Priority | None) -> str | None:
    if STDIN in documents:
        stop("standard input cannot hold both the document and the password", EXIT_USAGE)
    if priority is not None:
        stop("--priority: tasks have one, and tasks keep no passwords", EXIT_USAGE)
    return sys.stdin.readline().rstrip("\r\n") or None


def token_in(file: Path) -> str:
    """Return the bearer token in a file, or end the command with the reason why not."""
    try:
        token = file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        stop(f"cannot read the token in {file}", EXIT_FAILED)
    if not token or not token.isascii() or not token.isprintable():
        stop(f"{file} holds no token", EXIT_FAILED)
    return token
