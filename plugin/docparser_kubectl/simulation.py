"""A rollout played through with the operator's own decisions. Pure.

Every pod becomes available as soon as it is asked for, every analysis passes
at once, and whoever is waited for promotes: what is left is the number of pods
at each moment, and the time that the rules themselves take.
"""

import math
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from docparser_api.status import AnalysisStatus
from docparser_operator.clock import timestamp
from docparser_operator.observed import Observed, Workload
from docparser_operator.pods import Pod
from docparser_operator.rollout import decide
from docparser_operator.situation import Decision, Situation
from docparser_operator.steps import Requests

MOST_PASSES: Final = 10_000
_PLACED: Final = {"spec": {"nodeName": "any"}}
"""A pod that counts as having a node."""


@dataclass(frozen=True)
class Course:
    """How a rollout will go.

    Attributes:
        is_complete: whether it comes to its end.
        most_pods: most pods at the same time.
        most_gpus: most GPUs that they hold at the same time.
        started: pods that start, of any revision.
        fresh: pods of the target among them.
        stopped: pods that stop, of any revision.
        rounds: times at which pods have to start before it goes on.
        waits_seconds: time that steps and delays take.
        people: steps, from 0, that last until somebody promotes.
        in_place: whether pods are replaced in place.
        sizes: pods of each revision at the end.
    """

    is_complete: bool = False
    most_pods: int = 0
    most_gpus: int = 0
    started: int = 0
    fresh: int = 0
    stopped: int = 0
    rounds: int = 0
    waits_seconds: float = 0
    people: tuple[int, ...] = ()
    in_place: bool = False
    sizes: dict[str, int] = field(default_factory=dict)


def play(begin: Situation, gpus: dict[str, int]) -> Course:
    """Return how the rollout of the target goes on from `begin`.

    Args:
        begin: the situation now.
        gpus: GPUs of a pod, by revision.
    """
    sizes = {name: begin.size(name) for name in begin.observed.workloads}
    situation = replace(begin, observed=_obeyed(sizes), analysis=_passing(begin))
    course = _counted(Course(sizes=sizes), sizes, begin.target, gpus)
    for _ in range(MOST_PASSES):
        decision = decide(situation)
        before = course.sizes
        course = _counted(course, decision.sizes, begin.target, gpus)
        course = replace(course, in_place=decision.rollout.in_place)
        if decision.rollout.completed_at is not None or decision.rollout.failed_at is not None:
            return replace(course, is_complete=decision.rollout.completed_at is not None)
        step = _waits_for_people(situation, decision)
        if step is not None:
            course = replace(course, people=(*course.people, step))
        seconds = _passing_seconds(decision, changed=before != course.sizes or step is not None)
        if seconds is None:
            break
        course = replace(course, waits_seconds=course.waits_seconds + seconds)
        situation = replace(
            situation,
            stable=decision.stable,
            rollout=decision.rollout,
            observed=_obeyed(course.sizes),
            now=situation.now + timedelta(seconds=seconds),
            requests=Requests(promote=step),
            fitting=_fitting(begin, course.sizes, gpus),
        )
    return course


def _counted(course: Course, sizes: dict[str, int], target: str, gpus: dict[str, int]) -> Course:
    """Return `course` with the pods of one more moment."""
    grown = sizes.get(target, 0) - course.sizes.get(target, 0)
    steps = [sizes.get(name, 0) - course.sizes.get(name, 0) for name in {*sizes, *course.sizes}]
    held = sum(size * gpus.get(name, 0) for name, size in sizes.items())
    return replace(
        course,
        most_pods=max(course.most_pods, sum(sizes.values())),
        most_gpus=max(course.most_gpus, held),
        started=course.started + sum(step for step in steps if step > 0),
        fresh=course.fresh + max(0, grown),
        stopped=course.stopped - sum(step for step in steps if step < 0),
        rounds=course.rounds + (grown > 0),
        sizes=dict(sizes),
    )


def _obeyed(sizes: dict[str, int]) -> Observed:
    """Return the cluster once every Deployment has the size that it is asked to have."""
    workloads = {
        name: Workload(name, size, size, size, size, current=True, failure=None, manifest={})
        for name, size in sizes.items()
    }
    pods = tuple(
        Pod(f"{name}-{index}", name, deleting=False, ready=True, manifest=_PLACED)
        for name, size in sizes.items()
        for index in range(size)
    )
    return Observed(workloads=workloads, pods=pods)


def _passing(begin: Situation) -> AnalysisStatus:
    return AnalysisStatus(verdict="Pass", changed_at=timestamp(begin.now))


def _waits_for_people(situation: Situation, decision: Decision) -> int | None:
    """Return the step that ends only when somebody promotes, if the rollout is at one."""
    steps, rollout = situation.rules.steps or [], decision.rollout
    if not decision.stepping or rollout.pause is None or rollout.step_index >= len(steps):
        return None
    pause = steps[rollout.step_index].pause
    return rollout.step_index if pause is not None and pause.duration_seconds is None else None


def _passing_seconds(decision: Decision, *, changed: bool) -> float | None:
    """Return the time until the next decision; None if there is nothing to wait for."""
    if changed:
        return 0.0
    return None if decision.requeue_seconds is None else math.ceil(decision.requeue_seconds)


def _fitting(begin: Situation, sizes: dict[str, int], gpus: dict[str, int]) -> int | None:
    """Return how many more pods of the target find GPUs, after pods have come and gone."""
    if begin.fitting is None:
        return None
    target = begin.target
    before = {name: begin.size(name) for name in begin.observed.workloads}
    freed = sum(
        (before.get(name, 0) - sizes.get(name, 0)) * gpus.get(name, 0)
        for name in {*before, *sizes} - {target}
    )
    each = max(1, gpus.get(target, 0))
    taken = sizes.get(target, 0) - before.get(target, 0)
    return max(0, begin.fitting - taken + freed // each)
