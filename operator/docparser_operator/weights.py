"""What the init container that fetches and verifies weights has said. Pure."""

import json
from dataclasses import dataclass
from typing import Any

from docparser_api import names

from docparser_operator.kinds import Manifest
from docparser_operator.pods import Pod

_MOST = 500


@dataclass(frozen=True)
class InitOutcome:
    """How the init container ended.

    Attributes:
        failure: what was wrong, with the name of the file; None if all is well.
    """

    failure: str | None


def init_outcome(pod: Pod) -> InitOutcome | None:
    """Return how the fetch in `pod` ended last; None while it has not."""
    status = _status(pod.manifest)
    if status is None:
        return None
    ended: dict[str, Any] | None = status.get("state", {}).get("terminated")
    ended = ended or status.get("lastState", {}).get("terminated")
    if ended is None:
        return None
    if ended.get("exitCode") == 0:
        return InitOutcome(None)
    return InitOutcome(failure_words(ended))


def failure_words(ended: Manifest) -> str:
    """Return what an ended container said about its failure."""
    text = str(ended.get("message", "")).strip()
    try:
        said = json.loads(text.splitlines()[-1] if text else "")
        words = f"{said['code']}: {said['message']}"
        name = said.get("file")
        return (f"{name}: {words}" if name and name not in words else words)[:_MOST]
    except (ValueError, KeyError, TypeError, AttributeError):
        return (text or f"exit code {ended.get('exitCode')}, {ended.get('reason', '')}")[:_MOST]


def _status(pod: Manifest) -> Manifest | None:
    statuses: list[Manifest] = pod.get("status", {}).get("initContainerStatuses", [])
    return next((s for s in statuses if s["name"] == names.WEIGHTS_CONTAINER), None)
