"""`history`: every revision that is kept, with how its rollout ended."""

from typing import Any

from docparser_operator.revisions import Revision
from rich.table import Table
from rich.text import Text

from docparser_kubectl.subject import Subject


def ordered(subject: Subject) -> list[Revision]:
    """Return the revisions, the latest first."""
    return sorted(subject.observed.revisions.values(), key=lambda revision: -revision.number)


def marks(subject: Subject, revision: Revision) -> list[str]:
    """Return what a revision is at the moment."""
    status = subject.status
    pinned = status.rollback.revision if status.rollback else None
    roles = {
        "serving": status.current_revision,
        "wanted": status.update_revision,
        "pinned": pinned,
    }
    return [role for role, hash_ in roles.items() if hash_ == revision.hash]


def data(subject: Subject) -> list[dict[str, Any]]:
    """Return the history for a program."""
    return [_entry(subject, revision) for revision in ordered(subject)]


def render(subject: Subject) -> Table:
    """Return the history as a table."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in (
        "no.",
        "hash",
        "image",
        "weights",
        "generation",
        "resourceVersion",
        "outcome",
        "now",
    ):
        table.add_column(name, overflow="fold")
    for entry in data(subject):
        first = entry["observations"][0]
        table.add_row(
            ", ".join(str(o["number"]) for o in entry["observations"]),
            entry["hash"],
            entry["image"],
            entry["weights"] or "-",
            str(first["generation"] or "-"),
            first["resourceVersion"] or "-",
            _outcome(entry),
            Text(", ".join(entry["marks"]), style="green"),
        )
    return table


def _entry(subject: Subject, revision: Revision) -> dict[str, Any]:
    weights = revision.shape.get("model", {}).get("weights") or {}
    outcome = revision.outcome
    return {
        "number": revision.number,
        "hash": revision.hash,
        "image": revision.shape.get("image", ""),
        "weights": weights.get("version"),
        "created": subject.created.get(revision.hash, ""),
        "observations": [
            {
                "number": seen.number,
                "generation": seen.generation,
                "resourceVersion": seen.resource_version,
            }
            for seen in revision.observations
        ],
        "outcome": outcome
        and {
            "result": outcome.result,
            "time": outcome.time,
            "reason": outcome.reason,
            "message": outcome.message,
        },
        "marks": marks(subject, revision),
    }


def _outcome(entry: dict[str, Any]) -> Text:
    outcome = entry["outcome"]
    if outcome is None:
        return Text("-")
    style = "green" if outcome["result"] == "Succeeded" else "red"
    text = Text(f"{outcome['result']} {outcome['time']}", style=style)
    cause = ": ".join(filter(None, (outcome["reason"], outcome["message"])))
    return text.append(f" {cause}" if cause else "", style="default")
