"""`plan`: the forecast in words."""

from decimal import Decimal

from docparser_operator.autoscaling.wanted import wanted_replicas
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from docparser_kubectl import fields, steps
from docparser_kubectl.forecast import Forecast


def render(plan: Forecast, problems: list[str]) -> RenderableType:
    """Return the whole view."""
    parts: list[RenderableType] = []
    if plan.changes:
        parts += [Text("Fields", style="bold"), fields.render(plan.changes), Text()]
    parts.append(_facts(plan))
    if plan.replaces_pods:
        parts += [Text("\nHow it goes", style="bold"), *map(Text, _course(plan))]
    if problems:
        parts.append(Text("\nIn the way", style="bold"))
        parts += [Text(f"! {problem}", style="yellow") for problem in problems]
    return Group(*parts)


def _facts(plan: Forecast) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("Revision", _revision(plan))
    table.add_row("Pods", _pods(plan))
    table.add_row("GPUs", _gpus(plan))
    if plan.course.fresh:
        table.add_row("Fetch", plan.fetch.words)
        table.add_row("Expected", _expected(plan))
    return table


def _revision(plan: Forecast) -> str:
    target = plan.choice.target
    name = f"{target.number} ({target.hash})"
    if not plan.has_changes and not plan.replaces_pods:
        return f"{name}, as it is; nothing to do"
    if target.hash == plan.stable:
        return f"{name} goes on serving, no pod is replaced"
    if plan.was_known:
        return f"{name}, known from before, comes {'back' if plan.stable else 'up'}"
    return f"{name}, new"


def _pods(plan: Forecast) -> str:
    course = plan.course
    if not course.started and not course.stopped:
        return "none starts, none stops"
    return f"{course.started} start, {course.stopped} stop, at most {course.most_pods} at a time"


def _gpus(plan: Forecast) -> str:
    gpu = plan.parser.spec.resources.gpu
    if gpu.count == 0 and plan.course.most_gpus == 0:
        return "none"
    peak = f"at most {plan.course.most_gpus} at a time"
    if plan.room is None:
        return f"{peak}; how many are free is unknown, you may not list nodes and pods"
    free = plan.room.free.get(gpu.resource_name, Decimal(0))
    return f"{peak}; {free:f} {gpu.resource_name} are free now"


def _expected(plan: Forecast) -> str:
    """Return how long it takes, and how that is known."""
    length = steps.duration(plan.expected_seconds)
    words = f"{'at most' if plan.startup.is_bound else 'about'} {length}"
    if plan.course.people:
        words += ", and as long as it waits to be promoted"
    if not plan.course.is_complete:
        words += " until it waits for room"
    each = steps.duration(plan.startup.seconds)
    return f"{words} (pods take {each}: {plan.startup.basis})"


def _course(plan: Forecast) -> list[str]:
    """Return the stages of the rollout."""
    rules, replicas = plan.parser.spec.rollout, wanted_replicas(plan.parser)
    if plan.stable is None:
        return [f"{replicas} pods start; the Service leads to those that are ready"]
    if plan.course.in_place:
        return _in_place(plan)
    after = f"the Service moves; the old pods stop {rules.scale_down_delay_seconds} s later"
    if plan.without_steps or rules.strategy == "Surge":
        why = ", without steps, since it served lately" if plan.without_steps else ""
        return [f"{replicas} pods start beside the old ones{why}", after]
    first = []
    if rules.strategy == "BlueGreen":
        where = f"{plan.parser.metadata.name}-canary"
        first = [f"{replicas} pods start beside the old ones, reached through Service {where}"]
    listed = [f"{index}. {steps.words(step)}" for index, step in enumerate(rules.steps or [])]
    return [*first, *listed, f"all {replicas} pods run beside the old ones, {after}"]


def _in_place(plan: Forecast) -> list[str]:
    rules, replicas = plan.parser.spec.rollout, wanted_replicas(plan.parser)
    if rules.strategy == "Recreate":
        return ["all old pods stop", f"{replicas} pods start; the service is away meanwhile"]
    most = min(rules.max_unavailable, replicas)
    away = "; the service is away meanwhile" if most >= replicas else ""
    listed = (
        []
        if plan.without_steps or rules.strategy in {"Surge", "InPlace"}
        else [f"{index}. {steps.words(step)}" for index, step in enumerate(rules.steps or [])]
    )
    return [f"pods are replaced, at most {most} at a time{away}", *listed]
