"""The rules of spec.autoscaling in the units of decisions."""

from docparser_api.autoscaling import AutoscalingSpec

from docparser_operator.autoscaling.schedules import calendar
from docparser_operator.autoscaling.values import Rules


def rules(spec: AutoscalingSpec) -> Rules:
    """Return what `spec` asks for.

    Raises:
        ScheduleError: a schedule cannot be read.
    """
    per_minute = spec.pages_per_minute
    return Rules(
        min_replicas=spec.min_replicas,
        max_replicas=spec.max_replicas,
        target_wait_seconds=spec.target_wait_seconds,
        pages_per_second=None if per_minute is None else per_minute / 60,
        idle_seconds=spec.idle_seconds,
        scale_up_stabilization_seconds=spec.scale_up.stabilization_seconds,
        scale_down_stabilization_seconds=spec.scale_down.stabilization_seconds,
        vram_high_fraction=spec.vram_high_percent / 100,
        calendar=calendar(spec.schedules),
    )
