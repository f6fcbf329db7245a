"""`status`: what serves, what is rolled out, and what it was found to be."""

from typing import Any, Final

from docparser_api.status import AnalysisStatus, Measurement
from docparser_operator.autoscaling.wanted import wanted_pods
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from docparser_kubectl import steps
from docparser_kubectl.progress import phase, under_way, wait, wanted_weight
from docparser_kubectl.subject import Subject

_COLOURS: Final = {
    "Pass": "green",
    "Fail": "red",
    "Inconclusive": "yellow",
    "Complete": "green",
    "Failed": "red",
    "Running": "cyan",
    "Retiring": "cyan",
    "Waiting": "yellow",
}


def render(subject: Subject) -> RenderableType:
    """Return the whole view."""
    parts: list[RenderableType] = [_facts(subject)]
    if subject.spec is not None and subject.spec.rollout.steps:
        parts += [Text("\nSteps", style="bold"), _steps(subject)]
    rollout = subject.status.rollout
    if rollout is not None and rollout.analysis is not None:
        parts += [_heading(rollout.analysis), _measurements(rollout.analysis.measurements)]
    if subject.observed.workloads or subject.observed.pods:
        parts += [Text("\nRevisions with pods", style="bold"), _revisions(subject)]
    if subject.status.conditions:
        parts += [Text("\nConditions", style="bold"), _conditions(subject)]
    return Group(*parts)


def data(subject: Subject) -> dict[str, Any]:
    """Return the same for a program."""
    return {
        "name": subject.metadata.name,
        "namespace": subject.metadata.namespace,
        "generation": subject.metadata.generation,
        "phase": phase(subject),
        "waiting": wait(subject),
        "wantedWeight": wanted_weight(subject),
        "revisions": _counts(subject),
        "status": subject.status.model_dump(by_alias=True, exclude_none=True, mode="json"),
    }


def _facts(subject: Subject) -> Table:
    """Return the lines at the top."""
    status = subject.status
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    metadata = subject.metadata
    table.add_row("Name", f"{metadata.name} (namespace {metadata.namespace})")
    table.add_row("Serving", f"revision {subject.label(status.current_revision)}, {_pods(subject)}")
    table.add_row("Wanted", f"revision {subject.label(status.update_revision)}")
    table.add_row("Rollout", _rollout(subject))
    if subject.spec is None:
        table.add_row("Note", "spec holds fields that this program does not know; update it")
    else:
        table.add_row("Strategy", _strategy(subject))
    weight = wanted_weight(subject)
    if (rollout := under_way(subject)) is not None and weight is not None:
        table.add_row("Weight", f"{weight} % wanted, {rollout.weight} % reached")
    if (pause := wait(subject)) is not None:
        table.add_row("Waits", Text(pause, style="yellow"))
    if status.rollback is not None:
        table.add_row("Rollback", Text(_rollback(subject), style="yellow"))
    if (scaling := status.autoscaling) is not None:
        words = f"{scaling.desired_replicas} pods since {scaling.decided_at}"
        table.add_row("Autoscaler", f"{words}, {scaling.reason}: {scaling.message}")
    if status.endpoint:
        table.add_row("Endpoint", status.endpoint)
    return table


def _pods(subject: Subject) -> str:
    status = subject.status
    wanted = wanted_pods(subject.spec, status) if subject.spec else status.replicas
    return f"{status.available_replicas} of {wanted} pods available"


def _rollout(subject: Subject) -> Text:
    """Return phase, times and, where it failed, the cause."""
    now, rollout = phase(subject), subject.status.rollout
    text = Text(now, style=_COLOURS[now])
    if now == "Waiting":
        return text.append(
            ": the operator has not seen the latest spec or annotation yet", style="default"
        )
    if rollout is None:
        return text
    text.append(f": revision {subject.label(rollout.revision)}", style="default")
    text.append(f", began {rollout.started_at}", style="default")
    times = {
        "promoted": rollout.promoted_at,
        "complete": rollout.completed_at,
        "given up": rollout.failed_at,
    }
    for word, time in times.items():
        text.append(f", {word} {time}" if time else "", style="default")
    if rollout.failed_at and rollout.failure:
        text.append(f": {rollout.failure}", style="red")
    return text


def _strategy(subject: Subject) -> str:
    """Return the strategy and in which way this rollout departs from it."""
    strategy = subject.spec.rollout.strategy if subject.spec else ""
    rollout = under_way(subject)
    if rollout is None:
        return strategy
    notes = {
        "without steps": rollout.without_steps and strategy in {"Canary", "BlueGreen"},
        "pods are replaced in place": rollout.in_place and strategy != "InPlace",
    }
    return ", ".join([strategy, *(note for note, holds in notes.items() if holds)])


def _rollback(subject: Subject) -> str:
    rollback = subject.status.rollback
    if rollback is None:
        return ""
    if rollback.revision is None:
        return f"{rollback.to} has ended, since spec asks for another revision now"
    end = f"kubectl docparser rollback {subject.metadata.name} --end"
    where = f"revision {subject.label(rollback.revision)}"
    return f"pinned to {where} since {rollback.since}, asked for as {rollback.to}; end with: {end}"


def _steps(subject: Subject) -> Table:
    """Return the steps, those that are done and the current one marked."""
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    for _ in range(3):
        table.add_column()
    rollout = under_way(subject)
    complete = phase(subject) in {"Complete", "Retiring"}
    for index, step in enumerate(subject.spec.rollout.steps or [] if subject.spec else []):
        at = None if rollout is None else rollout.step_index
        done = complete or (at is not None and index < at)
        mark, style = ("✓", "green") if done else ("→", "cyan") if index == at else (" ", "dim")
        table.add_row(Text(mark, style), str(index), Text(steps.words(step), style))
    return table


def _heading(analysis: AnalysisStatus) -> Text:
    text = Text("\nAnalysis ", style="bold")
    return text.append(analysis.verdict, style=_COLOURS[analysis.verdict])


def _measurements(measurements: list[Measurement]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("check", "verdict", "canary", "stable", "limit", "samples", "what"):
        table.add_column(name, justify="left" if name in {"check", "verdict", "what"} else "right")
    for one in measurements:
        numbers = (_number(value) for value in (one.canary, one.stable, one.limit))
        verdict = Text(one.verdict, _COLOURS[one.verdict])
        table.add_row(one.name, verdict, *numbers, str(one.samples), one.message)
    return table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _counts(subject: Subject) -> list[dict[str, Any]]:
    """Return the revisions that have pods or a Deployment, the latest first."""
    observed = subject.observed
    live = {*observed.workloads, *(pod.revision for pod in observed.pods)}
    found = []
    for name in sorted(live, key=lambda n: (n not in observed.revisions, n)):
        known, workload = observed.revisions.get(name), observed.workloads.get(name)
        found.append(
            {
                "number": known.number if known else None,
                "hash": name,
                "serving": name == subject.status.current_revision,
                "wanted": name == subject.status.update_revision,
                "image": known.shape["image"] if known else None,
                "pods": observed.pod_count(name),
                "size": workload.replicas if workload else 0,
                "available": workload.available if workload else 0,
                "shuttingDown": observed.deleting_count(name),
            }
        )
    return sorted(found, key=lambda entry: -(entry["number"] or 0))


def _revisions(subject: Subject) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("no.", "hash", "role", "pods", "wanted", "available", "leaving", "image"):
        table.add_column(name, overflow="fold")
    for entry in _counts(subject):
        role = "serving" if entry["serving"] else "new" if entry["wanted"] else "old"
        keys = ("pods", "size", "available", "shuttingDown")
        counts = (str(entry[key]) for key in keys)
        table.add_row(str(entry["number"] or "-"), entry["hash"], role, *counts, entry["image"])
    return table


def _conditions(subject: Subject) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("type", "status", "reason", "message"):
        table.add_column(name, overflow="fold")
    for one in subject.status.conditions:
        stale = one.observed_generation != subject.metadata.generation
        note = f" (of generation {one.observed_generation})" if stale else ""
        table.add_row(one.type, one.status, one.reason, one.message + note)
    return table
