"""The steps of a rollout in words."""

from docparser_api.rollout import RolloutSpec, RolloutStep


def words(step: RolloutStep) -> str:
    """Return what a step does."""
    if step.set_weight is not None:
        return f"send {step.set_weight} % of the requests to the new revision"
    if step.set_replicas is not None:
        return f"run {step.set_replicas} pods of the new revision"
    if step.pause is not None:
        seconds = step.pause.duration_seconds
        return "wait until promoted" if seconds is None else f"wait {duration(seconds)}"
    least = step.analysis.duration_seconds if step.analysis else 0
    return f"analyse for at least {duration(least)}"


def duration(seconds: float) -> str:
    """Return a length of time as `45 s`, `12 min` or `3 h 20 min`."""
    whole = round(seconds)
    if whole < 120:  # noqa: PLR2004 (two minutes)
        return f"{whole} s"
    minutes = round(whole / 60)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def timed_seconds(rules: RolloutSpec) -> int:
    """Return how long the steps wait by themselves."""
    total = 0
    for step in rules.steps or []:
        if step.pause is not None:
            total += step.pause.duration_seconds or 0
        elif step.analysis is not None:
            total += step.analysis.duration_seconds
    return total


def waits_for_people(rules: RolloutSpec) -> list[int]:
    """Return the steps, from 0, that last until somebody promotes."""
    return [
        index
        for index, step in enumerate(rules.steps or [])
        if step.pause is not None and step.pause.duration_seconds is None
    ]
