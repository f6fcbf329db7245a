from typing import Any

import pytest
from docparser_api.status import Reason
from docparser_operator.pods import Pod
from docparser_operator.problems import MAX_MESSAGE, Problem, creation_problem, find_problem
from support.builders import a_pod, a_workload

PULL = 'failed to pull and unpack image "example.org/runtime:9": not found'


def container(**fields: Any) -> dict[str, Any]:
    return {"containerStatuses": [{"name": "runtime", "image": "example.org/runtime:9", **fields}]}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    return container(state={"waiting": {"reason": reason, "message": message}})


def ended(state: str = "lastState", restarts: int = 1, **how: Any) -> dict[str, Any]:
    return container(**{state: {"terminated": how}, "restartCount": restarts})


CASES: dict[str, tuple[Pod, Problem | None]] = {
    "a pod that starts": (a_pod("r", ready=False), None),
    "a pod that is ready, whatever its past": (
        a_pod("r", ready=True, status=ended(exitCode=1)),
        None,
    ),
    "a pod that shuts down": (
        a_pod("r", ready=False, deleting=True, status=ended(exitCode=137)),
        None,
    ),
    "no node fits": (
        a_pod(
            "r",
            ready=False,
            status={
                "conditions": [
                    {
                        "type": "PodScheduled",
                        "status": "False",
                        "reason": "Unschedulable",
                        "message": "0/1 nodes are available:\n1 Insufficient nvidia.com/gpu.",
                    }
                ]
            },
        ),
        Problem(
            Reason.UNSCHEDULABLE, "pod pod: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
        ),
    ),
    "an image that does not exist": (
        a_pod("r", ready=False, status=waiting("ErrImagePull", PULL)),
        Problem(Reason.IMAGE_PULL_FAILED, f"pod pod: {PULL}"),
    ),
    "the same image a little later": (
        a_pod(
            "r",
            ready=False,
            status=waiting(
                "ImagePullBackOff",
                f'Back-off pulling image "example.org/runtime:9": ErrImagePull: {PULL}',
            ),
        ),
        Problem(Reason.IMAGE_PULL_FAILED, f"pod pod: {PULL}"),
    ),
    "an image that cannot be named": (
        a_pod("r", ready=False, status=waiting("InvalidImageName")),
        Problem(Reason.IMAGE_PULL_FAILED, "pod pod: example.org/runtime:9"),
    ),
    "a registry that is down, from another port each time": (
        a_pod(
            "r",
            ready=False,
            status=waiting("ErrImagePull", "read udp 10.0.0.7:41234->10.96.0.10:53: refused"),
        ),
        Problem(Reason.IMAGE_PULL_FAILED, "pod pod: read udp 10.0.0.7->10.96.0.10:53: refused"),
    ),
    "a Secret that does not exist": (
        a_pod(
            "r",
            ready=False,
            status=waiting("CreateContainerConfigError", 'secret "token" not found'),
        ),
        Problem(Reason.CONTAINER_CONFIG_INVALID, 'pod pod: secret "token" not found'),
    ),
    "a program that ends with an error": (
        a_pod("r", ready=False, status=ended(exitCode=3, message="Traceback\n  no model\n\n")),
        Problem(Reason.CRASH_LOOP, "pod pod: exit code 3: no model"),
    ),
    "a program that ends with an error and no words": (
        a_pod("r", ready=False, status=ended(exitCode=3)),
        Problem(Reason.CRASH_LOOP, "pod pod: exit code 3"),
    ),
    "the first crash, before any restart": (
        a_pod("r", ready=False, status=ended("state", 0, exitCode=1)),
        Problem(Reason.CRASH_LOOP, "pod pod: exit code 1"),
    ),
    "a program that ends well once": (
        a_pod("r", ready=False, status=ended("state", 0, exitCode=0)),
        None,
    ),
    "a program that ends well again and again": (
        a_pod("r", ready=False, status=ended(exitCode=0, restarts=4)),
        Problem(
            Reason.CRASH_LOOP,
            "pod pod: ended without an error, as after a startup or liveness probe that failed",
        ),
    ),
    "a program that needs more memory": (
        a_pod("r", ready=False, status=ended(exitCode=137, reason="OOMKilled")),
        Problem(
            Reason.OUT_OF_MEMORY,
            "pod pod: killed for lack of memory; raise resources.limits.memory",
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_problem_of_a_pod(name: str) -> None:
    pod, problem = CASES[name]
    assert find_problem([pod], []) == problem


def test_restart_counts_and_back_off_times_change_no_words() -> None:
    first = ended(exitCode=1, restarts=1)
    later = ended(exitCode=1, restarts=9)
    later["containerStatuses"][0]["state"] = {
        "waiting": {"reason": "CrashLoopBackOff", "message": "back-off 2m40s restarting"}
    }
    found = [find_problem([a_pod("r", ready=False, status=s)], []) for s in (first, later)]
    assert found[0] == found[1] is not None


CREATION = {
    'pods "r-x7k2p" is forbidden: exceeded quota: q, requested: pods=1': (
        Reason.QUOTA_EXCEEDED,
        "forbidden: exceeded quota: q, requested: pods=1",
    ),
    'pods "r-x7k2p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot': (
        Reason.ADMISSION_DENIED,
        'forbidden: violates PodSecurity "restricted:latest": runAsNonRoot',
    ),
    'pods "r-x7k2p" is forbidden: maximum memory usage per Container is 1Gi': (
        Reason.ADMISSION_DENIED,
        "forbidden: maximum memory usage per Container is 1Gi",
    ),
    'admission webhook "w.example.org" denied the request: no': (
        Reason.ADMISSION_DENIED,
        'admission webhook "w.example.org" denied the request: no',
    ),
    "Internal error occurred: etcd is away": (
        Reason.POD_CREATION_FAILED,
        "Internal error occurred: etcd is away",
    ),
}


@pytest.mark.parametrize("message", CREATION)
def test_why_a_pod_is_not_made(message: str) -> None:
    assert creation_problem(message) == Problem(*CREATION[message])


def test_a_refused_pod_tells_more_than_a_waiting_one() -> None:
    pod = a_pod("r", ready=False, status=waiting("ErrImagePull", PULL))
    found = find_problem([pod], [a_workload("r", 1, failure="exceeded quota: q")])
    assert found is not None
    assert found.reason == Reason.QUOTA_EXCEEDED


def test_long_words_are_cut() -> None:
    assert len(creation_problem("x" * 5000).message) == MAX_MESSAGE
