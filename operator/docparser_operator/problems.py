"""Why pods do not run, in a closed list of reasons and the cluster's own words.

The words must not change while the cause stays the same, or the status would
be written again and again: back-off times and restart counts are left out.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from docparser_api import names
from docparser_api.status import Reason

from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed, Workload
from docparser_operator.pods import Pod
from docparser_operator.weights import failure_words

MAX_MESSAGE = 1000

_PULL = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}
_CONFIG = {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
_POD_NAME = re.compile(r'^pods "[^"]*" is ')
_DENIED = re.compile(r"violates PodSecurity|admission|denied|^forbidden: ", re.IGNORECASE)
_SOURCE_PORT = re.compile(r"(?<=[\d\]]):\d+->")
_BACK_OFF = re.compile(r'^Back-off pulling image "[^"]*"(: [A-Za-z]+: )?')


@dataclass(frozen=True)
class Problem:
    """Something that keeps pods from serving."""

    reason: Reason
    message: str


def find_problem(pods: Iterable[Pod], workloads: Iterable[Workload]) -> Problem | None:
    """Return the most telling problem of `workloads` and `pods`, in their order; or None."""
    for workload in workloads:
        if workload.failure is not None:
            return creation_problem(workload.failure)
    problems = (_pod_problem(pod) for pod in pods if not pod.deleting)
    return next((problem for problem in problems if problem is not None), None)


def problem_among(observed: Observed, target: str, stable: str | None) -> Problem | None:
    """Return the problem of the target's pods or else of the stable revision's or the gateways'."""
    for revision in dict.fromkeys((target, stable)):
        pods = [pod for pod in observed.pods if pod.revision == revision]
        workload = observed.workloads.get(revision or "")
        if problem := find_problem(pods, [workload] if workload else []):
            return problem
    return find_problem(observed.gateway_pods, [])


def creation_problem(message: str) -> Problem:
    """Return the problem behind the API server's refusal to create a pod."""
    # The name is another one with each attempt.
    words = _POD_NAME.sub("", message)
    if "exceeded quota" in words:
        return problem(Reason.QUOTA_EXCEEDED, words)
    if _DENIED.search(words):
        return problem(Reason.ADMISSION_DENIED, words)
    return problem(Reason.POD_CREATION_FAILED, words)


def _pod_problem(pod: Pod) -> Problem | None:
    if pod.ready:
        return None
    status = pod.manifest.get("status", {})
    for condition in status.get("conditions", []):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            words = condition.get("message") or condition.get("reason", "")
            return _of_pod(pod, Reason.UNSCHEDULABLE, words)
    containers = status.get("initContainerStatuses", []) + status.get("containerStatuses", [])
    problems = (_container_problem(pod, container) for container in containers)
    return next((problem for problem in problems if problem is not None), None)


def _container_problem(pod: Pod, status: Manifest) -> Problem | None:
    waiting: dict[str, Any] = status.get("state", {}).get("waiting", {})
    words = waiting.get("message", "")
    if waiting.get("reason") in _PULL:
        return _of_pod(pod, Reason.IMAGE_PULL_FAILED, _BACK_OFF.sub("", words) or status["image"])
    if waiting.get("reason") in _CONFIG:
        return _of_pod(pod, Reason.CONTAINER_CONFIG_INVALID, words or waiting["reason"])
    ended = status.get("state", {}).get("terminated") or status.get("lastState", {}).get(
        "terminated"
    )
    if not ended or (ended.get("exitCode") == 0 and not status.get("restartCount")):
        return None
    if ended.get("reason") == "OOMKilled":
        words = "killed for lack of memory; raise resources.limits.memory"
        return _of_pod(pod, Reason.OUT_OF_MEMORY, words)
    if status.get("name") == names.WEIGHTS_CONTAINER:
        return _of_pod(pod, Reason.WEIGHTS_INVALID, failure_words(ended))
    last_words = _last_line(ended.get("message", ""))
    exit_code = f"exit code {ended.get('exitCode')}"
    if ended.get("exitCode") == 0:
        exit_code = "ended without an error, as after a startup or liveness probe that failed"
    return _of_pod(
        pod, Reason.CRASH_LOOP, f"{exit_code}: {last_words}" if last_words else exit_code
    )


def _of_pod(pod: Pod, reason: Reason, words: str) -> Problem:
    return problem(reason, f"pod {pod.name}: {words}")


def problem(reason: Reason, message: str) -> Problem:
    """Return a problem with `message` on one line and not too long for a condition."""
    words = _SOURCE_PORT.sub("->", " ".join(message.split()))
    return Problem(reason, words[:MAX_MESSAGE])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""
