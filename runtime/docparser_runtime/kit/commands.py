"""The commands `assess` and `samples`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docparser_runtime.batch.arguments import Closeness, Reading, TokenFile
from docparser_runtime.batch.commands import token_in
from docparser_runtime.batch.console import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    stop,
    tell,
)

if TYPE_CHECKING:
    from docparser_runtime.kit.assessing import Assessment

Server = Annotated[str, typer.Option(metavar="URL", help="Service to assess.")]
Samples = Annotated[
    Path,
    typer.Option(
        metavar="DIR", help="Documents, named CLASS__NAME.pdf, with expected CLASS__NAME.md or not."
    ),
]
Output = Annotated[Path, typer.Option(metavar="DIR", help="Where the reports are written.")]
Parallel = Annotated[int, typer.Option(help="Most clients at the same time.", min=1, max=256)]
Seconds = Annotated[
    float, typer.Option(help="How long each number of clients begins requests.", min=1, max=600)
]
Timeout = Annotated[float, typer.Option(help="Longest time for one answer.", min=1)]
MostErrors = Annotated[
    float | None,
    typer.Option(
        "--max-cer", help="Highest character error rate of a layout class, such as 0.02.", min=0
    ),
]


def assess(  # noqa: PLR0913 (the options of a command)
    *,
    server: Server,
    samples: Samples,
    token_file: TokenFile = None,
    output: Output = Path("assessment"),
    parallel: Parallel = 32,
    seconds: Seconds = 10.0,
    timeout_seconds: Timeout = 300.0,
    max_cer: MostErrors = None,
    tier: Closeness = None,
) -> None:
    """Measure how well and how fast a service reads your documents; write report.html and .json."""
    from docparser_runtime.kit.assessing import Assessment  # noqa: PLC0415

    options = Reading(tier=tier).options()
    asked = Assessment(
        server, token_in(token_file), parallel, seconds, timeout_seconds, max_cer, options
    )
    if not _is_good(asked, samples, output):
        raise typer.Exit(EXIT_FAILED)


def samples(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A directory, empty or new.")],
    *,
    seed: Annotated[int, typer.Option(help="Another number makes other texts.", min=0)] = 0,
    most_pages: Annotated[
        int, typer.Option(help="Pages of the longest document; there are some up to 200.", min=1)
    ] = 100,
) -> None:
    """Make documents of several layouts and lengths, with their expected texts, to begin with."""
    from docparser_runtime.kit.sets import sample_set, written  # noqa: PLC0415

    try:
        count = written(sample_set(seed, most_pages), directory)
    except OSError as error:
        stop(f"cannot write to {directory}: {error.strerror}", EXIT_FAILED)
    tell(f"{count} documents in {directory}")


def _is_good(asked: "Assessment", directory: Path, output: Path) -> bool:
    import asyncio  # noqa: PLC0415

    from docparser_runtime.client import ClientError  # noqa: PLC0415
    from docparser_runtime.golden.documents import GoldenError  # noqa: PLC0415
    from docparser_runtime.kit.assessing import report, write  # noqa: PLC0415
    from docparser_runtime.kit.samples import samples_in  # noqa: PLC0415

    try:
        found = asyncio.run(report(asked, samples_in(directory), tell))
        write(found, output)
    except GoldenError as error:
        stop(f"--samples: {error.message}", EXIT_FAILED)
    except ClientError as error:
        stop(str(error), EXIT_FAILED)
    except OSError as error:
        stop(f"cannot write to {output}: {error.strerror}", EXIT_FAILED)
    except ValueError as error:
        stop(f"--server: {error}", EXIT_USAGE)
    except KeyboardInterrupt:
        stop("interrupted; nothing was written", EXIT_INTERRUPTED)
    tell(f"{'good' if found.is_good else 'not good'}; see {output / 'report.html'}")
    return found.is_good
