"""The arguments of `simulate`."""

from enum import StrEnum
from typing import Annotated

import typer

from docparser_kubectl.replay.patterns import Pattern
from docparser_kubectl.replay.values import Drain


class Output(StrEnum):
    """How the result is printed."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


File = Annotated[
    str | None,
    typer.Option("--filename", "-f", help="File whose spec.autoscaling rules; - is stdin."),
]
TraceFile = Annotated[
    str | None,
    typer.Option("--trace", help="CSV of documents: time_seconds,pages[,priority]; - is stdin."),
]
Patterns = Annotated[
    list[Pattern] | None,
    typer.Option("--pattern", help="Made-up documents; may be repeated. Default: all patterns."),
]
Seed = Annotated[int, typer.Option("--seed", help="Another seed makes up other documents.")]
Least = Annotated[
    int | None, typer.Option("--min", min=0, max=1000, help="Fewest pods. Default: 0.")
]
Most = Annotated[int | None, typer.Option("--max", min=1, max=1000, help="Most pods. Default: 10.")]
TargetWait = Annotated[
    int | None,
    typer.Option(
        "--target-wait", min=1, max=86_400, help="Seconds that a page may wait. Default: 60."
    ),
]
IdleSeconds = Annotated[
    int | None,
    typer.Option(
        "--idle-seconds",
        min=0,
        max=604_800,
        help="Idle seconds until the last pod goes. Default: 600.",
    ),
]
PageSeconds = Annotated[
    float | None,
    typer.Option("--page-seconds", min=0.001, max=3600, help="Seconds for a page. Default: 2."),
]
Places = Annotated[
    int | None,
    typer.Option(
        "--places", min=1, max=256, help="Documents that a pod reads at a time. Default: 2."
    ),
]
LeadSeconds = Annotated[
    float | None,
    typer.Option(
        "--lead-seconds", min=0, max=86_400, help="Seconds until a new pod serves. Default: 90."
    ),
]
Room = Annotated[
    int | None,
    typer.Option("--room", min=1, max=1000, help="Pods for which there are GPUs. Default: all."),
]
DrainOption = Annotated[
    Drain | None,
    typer.Option(
        "--drain", help="What a pod that goes does with its documents. Default: give-back."
    ),
]
Format = Annotated[Output, typer.Option("--output", "-o", help="How the result is printed.")]
