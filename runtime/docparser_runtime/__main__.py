"""The command line. Heavy imports wait until a command needs them."""

import sys

from docparser_runtime import farewell

# Before the imports below: they take long enough for a signal to come.
farewell.leave_when_told(sys.argv)

import os  # noqa: E402
from typing import Annotated  # noqa: E402

import typer  # noqa: E402
from docparser_api.names import PORT  # noqa: E402

from docparser_runtime.batch import commands as batch  # noqa: E402
from docparser_runtime.batch import console  # noqa: E402
from docparser_runtime.batch.console import EXIT_FAILED, EXIT_LOAD_FAILED, EXIT_USAGE  # noqa: E402
from docparser_runtime.golden import commands as golden  # noqa: E402
from docparser_runtime.kit import commands as kit  # noqa: E402
from docparser_runtime.roles import Role  # noqa: E402
from docparser_runtime.weights import commands as weights  # noqa: E402

app = typer.Typer(
    name="docparser-runtime",
    help="Reads documents: as an HTTP service, or one file at a time.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("parse")(batch.parse)
app.command("golden")(golden.compare)
app.command("assess")(kit.assess)
app.command("samples")(kit.samples)
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
def version() -> None:
    """Print the version."""
    from importlib.metadata import version as installed  # noqa: PLC0415

    typer.echo(installed("docparser-runtime"))


def _explain(message: str) -> None:
    """Tell why serving ends, where Kubernetes looks for it: also on the last line of stderr."""
    # Only the server may do so: a `parse` beside it would overwrite the pod's last words.
    farewell.tell_kubernetes(message)
    console.tell(message)


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
