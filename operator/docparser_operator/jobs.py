"""Jobs of ours, parsed for the decisions."""

from dataclasses import dataclass

from docparser_api import names

from docparser_operator.kinds import Manifest
from docparser_operator.pods import Pod, pod_of


@dataclass(frozen=True)
class JobState:
    """A Job of ours.

    Attributes:
        purpose: what it runs for.
        revision: the revision that it is about; empty for none.
        ended: whether it has come to its end.
        succeeded: whether that was a good one.
        message: what the container of its latest pod that ended said last.
        pods: its pods, for the words of a failure.
    """

    name: str
    purpose: str
    revision: str
    ended: bool
    succeeded: bool
    message: str
    pods: tuple[Pod, ...]
    manifest: Manifest


def without_helpers(pods: list[Manifest]) -> tuple[list[Manifest], list[Manifest]]:
    """Return the pods of Jobs, and all others."""
    return [pod for pod in pods if _helps(pod)], [pod for pod in pods if not _helps(pod)]


def job_of(manifest: Manifest, helpers: list[Manifest]) -> JobState:
    """Return what matters of a Job, whose pods are among `helpers`."""
    name, uid = manifest["metadata"]["name"], manifest["metadata"]["uid"]
    labels = manifest["metadata"].get("labels", {})
    conditions = manifest.get("status", {}).get("conditions", [])
    ends = {c["type"] for c in conditions if c["status"] == "True"}
    pods = [
        pod
        for pod in helpers
        if any(owner["uid"] == uid for owner in pod["metadata"].get("ownerReferences", []))
    ]
    pods.sort(key=lambda pod: str(pod["metadata"].get("creationTimestamp", "")))
    return JobState(
        name=name,
        purpose=str(labels.get(names.LABEL_PURPOSE, "")),
        revision=str(labels.get(names.LABEL_REVISION, "")),
        ended=bool(ends & {"Complete", "Failed"}),
        succeeded="Complete" in ends,
        message=next((text for pod in reversed(pods) if (text := _last_words(pod))), ""),
        pods=tuple(pod_of(pod) for pod in pods),
        manifest=manifest,
    )


def _last_words(pod: Manifest) -> str:
    for status in pod.get("status", {}).get("containerStatuses", []):
        if message := status.get("state", {}).get("terminated", {}).get("message"):
            return str(message)
    return ""


def _helps(pod: Manifest) -> bool:
    return names.LABEL_PURPOSE in pod["metadata"].get("labels", {})
