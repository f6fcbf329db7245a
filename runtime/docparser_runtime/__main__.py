"""The command line. Heavy imports wait until a command needs them."""

import sys

from docparser_runtime import farewell

# Before the imports below: they take long enough for a signal to come.
farewell.leave_when_told(sys.argv)

import os  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import TYPE_CHECKING, Annotated, Final, NoReturn  # noqa: E402

import typer  # noqa: E402
from docparser_api.names import PORT  # noqa: E402

from docparser_runtime.golden import commands as golden  # noqa: E402
from docparser_runtime.roles import Role  # noqa: E402
from docparser_runtime.weights import commands as weights  # noqa: E402

if TYPE_CHECKING:
    from docparser_runtime.schemas import Options
    from docparser_runtime.uploads import Upload

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_LOAD_FAILED: Final = 3
_STDIN: Final = "-"

app = typer.Typer(
    name="docparser-runtime",
    help="Reads documents: as an HTTP service, or one file at a time.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("golden")(golden.compare)
app.add_typer(weights.app)
app.command()(weights.check)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; :: is all, IPv4 too.")] = "::",
    port: Annotated[int, typer.Option(help="Port; 0 picks a free one.", min=0, max=65535)] = PORT,
    role: Annotated[
        Role,
        typer.Option(help="all: HTTP and engine; gateway: HTTP alone; worker: engine alone."),
    ] = Role.ALL,
) -> None:
    """Serve HTTP until SIGTERM. The configuration comes from DOCPARSER_* variables."""
    from docparser_runtime import wiring  # noqa: PLC0415
    from docparser_runtime.config import ConfigError  # noqa: PLC0415
    from docparser_runtime.server import ListenError  # noqa: PLC0415

    try:
        ending = wiring.serve(os.environ, host, port, role)
    except ConfigError as error:
        _explain(str(error))
        raise typer.Exit(EXIT_USAGE) from None
    except ListenError as error:
        _explain(str(error))
        raise typer.Exit(EXIT_FAILED) from None
    code = 0 if ending.failure is None else EXIT_LOAD_FAILED
    if ending.failure is not None:
        _explain(f"engine_load_failed: {ending.failure}")
    if not ending.clean:
        os._exit(code)
    raise typer.Exit(code)


@app.command()
def parse(
    file: Annotated[str, typer.Argument(help="Document to read; - reads standard input.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, not Markdown.")] = False,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Take a password from standard input.")
    ] = False,
    engine: Annotated[str | None, typer.Option(help="Engine, such as rapidocr.")] = None,
) -> None:
    """Read one file and print what it says."""
    from docparser_runtime import wiring  # noqa: PLC0415
    from docparser_runtime.config import ConfigError  # noqa: PLC0415
    from docparser_runtime.engine.base import EngineLoadError  # noqa: PLC0415
    from docparser_runtime.errors import DocParserError  # noqa: PLC0415

    upload = _upload(file, password_stdin=password_stdin)
    try:
        answer = wiring.parse(os.environ, upload, engine)
    except ConfigError as error:
        _stop(str(error), EXIT_USAGE)
    except EngineLoadError as error:
        _stop(str(error), EXIT_LOAD_FAILED)
    except DocParserError as error:
        _stop(f"{error.code}: {error.detail}", EXIT_FAILED)
    typer.echo(answer.model_dump_json(indent=2) if as_json else answer.content)


@app.command()
def version() -> None:
    """Print the version."""
    from importlib.metadata import version as installed  # noqa: PLC0415

    typer.echo(installed("docparser-runtime"))


def _upload(file: str, *, password_stdin: bool) -> "Upload[Options]":
    from docparser_runtime.schemas import Options  # noqa: PLC0415
    from docparser_runtime.uploads import Upload  # noqa: PLC0415

    if password_stdin and file == _STDIN:
        _stop("standard input cannot hold both the document and the password", EXIT_USAGE)
    password = sys.stdin.readline().rstrip("\r\n") if password_stdin else None
    try:
        content = sys.stdin.buffer.read() if file == _STDIN else Path(file).read_bytes()
    except OSError as error:
        _stop(f"cannot read {file}: {error.strerror}", EXIT_FAILED)
    if not content:
        _stop("empty_document: the file has no content", EXIT_FAILED)
    return Upload((content,), Options(password=password or None))


def _explain(message: str) -> None:
    """Tell why serving ends, where Kubernetes looks for it: also on the last line of stderr."""
    # Only the server may do so: a `parse` beside it would overwrite the pod's last words.
    farewell.tell_kubernetes(message)
    _tell(message)


def _stop(message: str, code: int) -> NoReturn:
    _tell(message)
    raise typer.Exit(code)


def _tell(message: str) -> None:
    typer.echo(f"docparser-runtime: {farewell.one_line(message)}", err=True)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
