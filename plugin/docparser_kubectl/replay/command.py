"""The command that plays a trace through autoscalers: simulate."""

import sys
from collections.abc import Sequence

from docparser_kubectl import files
from docparser_kubectl.console import Output as DataOutput
from docparser_kubectl.console import console, print_data
from docparser_kubectl.errors import Failure
from docparser_kubectl.options import NameOrNone
from docparser_kubectl.replay import data, options, report, traces
from docparser_kubectl.replay.comparison import Comparison, compare
from docparser_kubectl.replay.options import Output
from docparser_kubectl.replay.patterns import Pattern, generated
from docparser_kubectl.replay.subject import Wanted, subject
from docparser_kubectl.replay.traces import Trace
from docparser_kubectl.replay.values import Setup


def simulate(  # noqa: PLR0913 (the options of a command)
    name: NameOrNone = None,
    *,
    file: options.File = None,
    trace: options.TraceFile = None,
    pattern: options.Patterns = None,
    seed: options.Seed = 1,
    least: options.Least = None,
    most: options.Most = None,
    target_wait: options.TargetWait = None,
    idle_seconds: options.IdleSeconds = None,
    page_seconds: options.PageSeconds = None,
    places: options.Places = None,
    lead_seconds: options.LeadSeconds = None,
    room: options.Room = None,
    drain: options.DrainOption = None,
    output: options.Format = Output.TEXT,
) -> None:
    """Play arriving documents through the operator's autoscaler, and through HPA's and KEDA's.

    Nothing is asked of a cluster.
    """
    if name is not None and file is None:
        raise Failure("NAME says which object of a file is meant; give the file with -f")
    manifest = None if file is None else files.find(files.read(file), file, name)
    wanted = Wanted(
        least=least,
        most=most,
        target_wait=target_wait,
        idle_seconds=idle_seconds,
        page_seconds=page_seconds,
        places=places,
        lead_seconds=lead_seconds,
        room=room,
        drain=drain,
    )
    setup, rules = subject(manifest, wanted)
    found = [compare(one, setup, rules) for one in chosen(trace, pattern, setup, seed)]
    _print(found, output)


def chosen(
    path: str | None, patterns: list[Pattern] | None, setup: Setup, seed: int
) -> list[Trace]:
    """Return the traces that are asked for.

    Raises:
        Failure: both kinds are, or the file is wrong.
    """
    if path is None:
        return [generated(one, setup.capacity, seed) for one in patterns or Pattern]
    if patterns:
        raise Failure("give --trace or --pattern, not both")
    return [traces.read(files.read(path), path)]


def _print(found: Sequence[Comparison], output: Output) -> None:
    if output is Output.JSON:
        print_data(data.as_json(found), DataOutput.JSON)
    elif output is Output.CSV:
        sys.stdout.write(data.as_csv(found))
    else:
        out = console()
        for one in found:
            out.print(report.render(one), soft_wrap=True)
            out.print()
        if len(found) > 1:
            out.print(report.summary(found))
