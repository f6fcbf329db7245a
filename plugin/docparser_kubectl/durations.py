"""How long pods take to start, learned from those that did. Pure."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from docparser_api.spec import DocParserDeploymentSpec
from docparser_operator.pods import Pod

from docparser_kubectl.subject import Subject


@dataclass(frozen=True)
class Startup:
    """The time from a pod's creation until it serves.

    Attributes:
        seconds: the time.
        is_bound: whether it is the longest that is allowed, for want of experience.
        basis: where it comes from, in words.
    """

    seconds: float
    is_bound: bool
    basis: str


def startup(subject: Subject | None, spec: DocParserDeploymentSpec) -> Startup:
    """Return how long a pod is expected to take."""
    pods = _of_pods(subject.observed.pods) if subject else []
    if pods:
        return Startup(median(pods), is_bound=False, basis=f"as {len(pods)} present pods took")
    rollouts = _of_revisions(subject) if subject else []
    if rollouts:
        # Steps lengthen a rollout, so the shortest one comes nearest to the pods' own time.
        basis = f"by the shortest of {len(rollouts)} earlier rollouts"
        return Startup(min(rollouts), is_bound=False, basis=basis)
    longest = spec.probes.startup_timeout_seconds + spec.rollout.min_ready_seconds
    return Startup(longest, is_bound=True, basis="no rollout to learn from; limit of the probes")


def _of_pods(pods: tuple[Pod, ...]) -> list[float]:
    """Return the time that each ready pod took."""
    found = []
    for pod in pods:
        created = pod.manifest.get("metadata", {}).get("creationTimestamp")
        for condition in pod.manifest.get("status", {}).get("conditions", []):
            since = condition.get("lastTransitionTime")
            if created and since and condition["type"] == "Ready" and condition["status"] == "True":
                found.append(_between(created, since))
    return [seconds for seconds in found if seconds >= 0]


def _of_revisions(subject: Subject) -> list[float]:
    """Return the time from the first sight of each revision until it served.

    One that came back later is left out: its time counts from the first attempt.
    """
    found = []
    for revision in subject.observed.revisions.values():
        created = subject.created.get(revision.hash)
        if created and revision.outcome and revision.has_served and len(revision.observations) == 1:
            found.append(_between(created, revision.outcome.time))
    return [seconds for seconds in found if seconds >= 0]


def _between(begin: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()
