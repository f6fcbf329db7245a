"""The commands about weights. Heavy imports wait until a command needs them."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer
from docparser_api import names

if TYPE_CHECKING:
    from docparser_runtime.logs import Log

_EXIT_FAILED: Final = 1
_EXIT_TERMINATED: Final = 128 + signal.SIGTERM

app = typer.Typer(
    name="weights",
    help="Fetches, verifies and removes weights. spec.model comes from DOCPARSER_MODEL.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Cache = Annotated[Path, typer.Option(help="Where fetched weights are kept.")]
Source = Annotated[Path, typer.Option(help="Where a volume with weights is mounted.")]
Check = Annotated[Path, typer.Option(help="Where this pod notes what it verified.")]
ManifestFile = Annotated[Path, typer.Option(help="The manifest, where a ConfigMap holds it.")]
TerminationLog = Annotated[
    Path | None,
    typer.Option(help="File for the last line. Default: the container's, if there is one."),
]


@app.callback()
def roots(
    context: typer.Context,
    cache: Cache = Path(names.WEIGHTS_CACHE),
    source: Source = Path(names.WEIGHTS_SOURCE),
    check: Check = Path(names.WEIGHTS_CHECK),
    manifest_file: ManifestFile = Path(names.WEIGHTS_MANIFEST),
) -> None:
    """Take the places that all commands share."""
    from docparser_runtime.weights.places import Places  # noqa: PLC0415

    context.obj = Places(cache, source, check, manifest_file)


@app.command()
def fetch(context: typer.Context, termination_log: TerminationLog = None) -> None:
    """Fetch the weights unless they are there, verify every byte and mark them as verified."""
    from docparser_runtime.weights import tasks  # noqa: PLC0415

    _run(lambda log: tasks.fetch(os.environ, context.obj, log), termination_log)


@app.command()
def verify(context: typer.Context, termination_log: TerminationLog = None) -> None:
    """Read every byte of the weights that are there; fetch and write nothing."""
    from docparser_runtime.weights import tasks  # noqa: PLC0415

    _run(lambda log: tasks.verify(os.environ, context.obj, log), termination_log)


@app.command()
def prune(
    context: typer.Context,
    keep: Annotated[list[str], typer.Option(help="Directory to keep; may be repeated.")],
    minimum_age_seconds: Annotated[
        float, typer.Option(help="Younger directories stay.", min=0)
    ] = 3600,
    termination_log: TerminationLog = None,
) -> None:
    """Remove other versions from the cache, and what unfinished fetches left."""
    from docparser_runtime.weights import tasks  # noqa: PLC0415

    _run(lambda log: tasks.prune(context.obj, log, keep, minimum_age_seconds), termination_log)


@app.command()
def manifest(
    directory: Annotated[Path, typer.Argument(help="Directory with the files of the weights.")],
) -> None:
    """Write docparser-manifest.json into a directory and print what the spec must say."""
    from docparser_runtime.weights import manifest as manifests  # noqa: PLC0415
    from docparser_runtime.weights.errors import WeightsError, storage  # noqa: PLC0415

    try:
        with storage():
            content = manifests.of_directory(directory).content()
            (directory / names.WEIGHTS_MANIFEST_FILE).write_bytes(content)
    except WeightsError as error:
        typer.echo(f"docparser-runtime: {error}", err=True)
        raise typer.Exit(_EXIT_FAILED) from None
    sha256 = manifests.digest(content)
    typer.echo(sha256)
    typer.echo("\n# Below spec.model of the DocParserDeployment:")
    typer.echo("weights:\n  version: v1 # a name for people")
    typer.echo(f"  manifest:\n    sha256: {sha256}")


def check(
    *,
    full: Annotated[bool, typer.Option("--full", help="Read every byte of the weights.")] = False,
    cache: Cache = Path(names.WEIGHTS_CACHE),
    source: Source = Path(names.WEIGHTS_SOURCE),
    check: Check = Path(names.WEIGHTS_CHECK),
    manifest_file: ManifestFile = Path(names.WEIGHTS_MANIFEST),
    termination_log: TerminationLog = None,
) -> None:
    """Look whether a service could start from DOCPARSER_* variables and the weights."""
    from docparser_runtime.weights import tasks  # noqa: PLC0415
    from docparser_runtime.weights.places import Places  # noqa: PLC0415

    places = Places(cache, source, check, manifest_file)
    _run(lambda log: tasks.check(os.environ, places, log, full=full), termination_log)


def _run(work: Callable[["Log"], str], termination_log: Path | None) -> NoReturn:
    """Do `work`, tell how it ended, and leave."""
    from docparser_runtime import logs  # noqa: PLC0415
    from docparser_runtime.weights import ending  # noqa: PLC0415
    from docparser_runtime.weights.errors import WeightsError  # noqa: PLC0415

    # The first process of a container ignores signals that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(_EXIT_TERMINATED))
    log = logs.create(sys.stderr, "info")
    logs.route_libraries(sys.stderr, "info")
    code = 0
    try:
        line = work(log)
    except (WeightsError, OSError) as error:
        line, code = ending.of_error(error), _EXIT_FAILED
    except Exception as error:
        log.exception("weights_command_failed")
        line, code = ending.of_error(error), _EXIT_FAILED
    ending.tell(line, termination_log)
    typer.echo(line)
    raise typer.Exit(code)
