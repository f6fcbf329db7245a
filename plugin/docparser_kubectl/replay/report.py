"""A comparison in words, as table and as chart."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from docparser_kubectl.printable import printable
from docparser_kubectl.replay.chart import COLUMNS, line
from docparser_kubectl.replay.comparison import Comparison
from docparser_kubectl.replay.outcome import Outcome
from docparser_kubectl.steps import duration


def render(comparison: Comparison) -> RenderableType:
    """Return all that was found of one trace."""
    return Group(
        Text(_heading(comparison), style="bold"),
        Text(_circumstances(comparison)),
        Text(),
        _table(comparison),
        Text(),
        *map(Text, _conclusion(comparison)),
        Text(),
        *map(Text, _chart(comparison)),
    )


def summary(comparisons: Sequence[Comparison]) -> RenderableType:
    """Return the shares of several traces as one table."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("Builtin's GPU-hours as share of")
    names = list(comparisons[0].shares)
    for name in names:
        table.add_column(name, justify="right")
    for comparison in comparisons:
        shares = (comparison.shares[name] for name in names)
        table.add_row(printable(comparison.trace.name), *map(_share, shares))
    remark = "at the target that costs least of those with no longer P99; never: no target has it"
    return Group(table, Text(remark))


def _share(share: float | None) -> str:
    return "never" if share is None else f"{share:.2f}"


def _heading(comparison: Comparison) -> str:
    trace = comparison.trace
    documents = f"{len(trace.arrivals):,} documents, {trace.pages:,} pages"
    return f"{printable(trace.name)}: {documents} in {duration(round(trace.seconds))}"


def _circumstances(comparison: Comparison) -> str:
    setup = comparison.setup
    return (
        f"A pod reads {60 * setup.pages_per_second:.3g} pages a minute in {setup.places} places "
        f"and starts in {setup.lead_seconds:g} s. {setup.least} to {setup.most} pods, target wait "
        f"{setup.target_wait:g} s."
    )


def _table(comparison: Comparison) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("Autoscaler")
    for title in ("Target", "GPU-hours", "Wait P50", "P99", "Longest", "Starts", "Pages read"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_row(*_row(comparison.ours))
    for rival in comparison.rivals:
        table.add_row(*_row(rival.usual))
    table.add_row("with no longer P99:")
    for rival in comparison.rivals:
        if rival.matching is None:
            table.add_row(rival.usual.name, "none")
        else:
            table.add_row(*_row(rival.matching))
    return table


def _row(found: Outcome) -> list[str]:
    target = "" if found.target_pages is None else f"{found.target_pages:.3g} pages"
    waits = (found.wait_p50, found.wait_p99, found.longest_wait)
    return [
        found.name,
        target,
        f"{found.gpu_hours:.2f}",
        *("-" if wait is None else f"{wait:.1f} s" for wait in waits),
        str(found.starts),
        f"{found.read_pages:,}",
    ]


def _conclusion(comparison: Comparison) -> list[str]:
    lines = []
    for name, share in comparison.shares.items():
        if share is None:
            lines.append(f"With no target do the rules of {name} reach the P99 of Builtin.")
        else:
            lines.append(
                f"Builtin takes {share:.2f} times the GPU-hours of {name}'s rules at no longer P99."
            )
    if comparison.ours.unread_pages:
        lines.append(f"Builtin leaves {comparison.ours.unread_pages:,} pages unread.")
    return lines


def _chart(comparison: Comparison) -> list[str]:
    """Return pods and waiting pages over time, one line for each autoscaler."""
    shown = [comparison.ours, *(rival.usual for rival in comparison.rivals)]
    seconds = max(found.seconds for found in shown)
    pods = max(sample.asked for found in shown for sample in found.samples)
    pages = max(sample.queued_pages for found in shown for sample in found.samples)
    lines = [f"Pods; a full block is {pods}, a column {duration(round(seconds / COLUMNS))}"]
    for found in shown:
        points = [(sample.at, sample.asked) for sample in found.samples]
        lines.append(f"{found.name:8}|{line(points, seconds, pods)}|")
    lines.append(f"Pages that wait; a full block is {pages:,}")
    for found in shown:
        points = [(sample.at, sample.queued_pages) for sample in found.samples]
        lines.append(f"{found.name:8}|{line(points, seconds, pages)}|")
    return lines
