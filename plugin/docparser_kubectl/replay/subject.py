"""The deployment of a file, as it is played with."""

import math
from dataclasses import dataclass
from typing import Any, TypeVar

from docparser_api.autoscaling import AutoscalingSpec
from docparser_api.base import ApiModel
from docparser_api.runtime import RuntimeConfig
from docparser_api.workload import Resources
from docparser_operator.autoscaling.rules import rules as rules_of
from docparser_operator.autoscaling.schedules import ScheduleError
from docparser_operator.autoscaling.values import Rules
from docparser_operator.kinds import Manifest
from pydantic import ValidationError

from docparser_kubectl.errors import Failure
from docparser_kubectl.replay.values import Drain, Setup

M = TypeVar("M", bound=ApiModel)


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for; None leaves it to the file, or to the default."""

    least: int | None = None
    most: int | None = None
    target_wait: int | None = None
    idle_seconds: int | None = None
    page_seconds: float | None = None
    places: int | None = None
    lead_seconds: float | None = None
    room: int | None = None
    drain: Drain | None = None


def subject(manifest: Manifest | None, wanted: Wanted) -> tuple[Setup, Rules]:
    """Return what is played with and by which rules.

    Raises:
        Failure: the file has no spec.autoscaling, or something cannot be.
    """
    usual = Setup()
    least = {"minReplicas": usual.least, "maxReplicas": usual.most}
    spec = {"autoscaling": least} if manifest is None else _spec(manifest)
    asked = {
        "minReplicas": wanted.least,
        "maxReplicas": wanted.most,
        "targetWaitSeconds": wanted.target_wait,
        "idleSeconds": wanted.idle_seconds,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    scaling = _read(AutoscalingSpec, "autoscaling", {**spec["autoscaling"], **given})
    if scaling.max_replicas < scaling.min_replicas:
        raise Failure("the most pods must be at least the fewest")
    try:
        rules = rules_of(scaling)
    except ScheduleError as error:
        raise Failure(str(error)) from error
    places = wanted.places or _read(RuntimeConfig, "runtime", spec.get("runtime")).max_concurrency
    setup = Setup(
        page_seconds=_page_seconds(scaling, places, wanted, usual),
        places=places,
        lead_seconds=_first(wanted.lead_seconds, usual.lead_seconds),
        least=scaling.min_replicas,
        most=scaling.max_replicas,
        room=_first(wanted.room, usual.room),
        gpus=max(1, _read(Resources, "resources", spec.get("resources")).gpu.count),
        target_wait=scaling.target_wait_seconds,
        drain=_first(wanted.drain, usual.drain),
    )
    if not (math.isfinite(setup.page_seconds) and math.isfinite(setup.lead_seconds)):
        raise Failure("seconds must be a number")
    return setup, rules


def _spec(manifest: Manifest) -> dict[str, Any]:
    spec = manifest.get("spec")
    if not isinstance(spec, dict) or not isinstance(spec.get("autoscaling"), dict):
        name = manifest["metadata"]["name"]
        raise Failure(f"{name} has no spec.autoscaling; leave -f out and give --min and --max")
    return spec


def _read(model: type[M], field: str, content: Any) -> M:
    """Return a part of the spec.

    Raises:
        Failure: it is not as the CustomResourceDefinition wants it.
    """
    try:
        return model.model_validate(content or {})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(("spec", field, *map(str, first["loc"])))
        raise Failure(f"{where}: {first['msg']}") from error


def _page_seconds(scaling: AutoscalingSpec, places: int, wanted: Wanted, usual: Setup) -> float:
    """Return how long a page takes: as asked for, or by what the file says a pod reads."""
    if wanted.page_seconds is not None:
        return wanted.page_seconds
    if scaling.pages_per_minute is not None:
        return 60 * places / scaling.pages_per_minute
    return usual.page_seconds


T = TypeVar("T")


def _first(asked: T | None, usual: T) -> T:
    return usual if asked is None else asked
