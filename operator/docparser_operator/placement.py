"""Whether pods come beside the old ones or in their place, and how many that is. Pure."""

from docparser_api.status import RolloutStatus

from docparser_operator.situation import Situation
from docparser_operator.sizes import Exchange, exchanged


def with_placement(now: Situation, rollout: RolloutStatus, wanted: int) -> RolloutStatus:
    """Return `rollout` with `in_place` decided for `wanted` pods of the target.

    Once in place, it stays so: the GPUs that are free later may be the room that was just made.
    """
    if rollout.in_place or now.rules.strategy in {"InPlace", "Recreate"}:
        return rollout.model_copy(update={"in_place": True})
    return rollout.model_copy(update={"in_place": _is_scarce(now, wanted)})


def lacks_gpus(now: Situation, wanted: int) -> bool:
    """Return whether fewer pods of the target find free GPUs than are still to be placed."""
    if now.fitting is None:
        return False
    return now.fitting < wanted - now.observed.scheduled_count(now.target)


def _is_scarce(now: Situation, wanted: int) -> bool:
    """Return whether the target gets GPUs only if other revisions give theirs up.

    Blue/green is for those who never want fewer old pods; it waits for GPUs instead. So does one
    for which the others have none: to take their pods away would help nobody.
    """
    others = now.exchangeable and now.observed.foreign_pod_count(now.target) > 0
    return now.rules.strategy != "BlueGreen" and others and lacks_gpus(now, wanted)


def in_place_sizes(
    now: Situation, growing: str, wanted: int
) -> tuple[dict[str, int], str | None, int]:
    """Return sizes, serving revision and pods to wait for while `growing` replaces the others."""
    recreate = now.rules.strategy == "Recreate"
    rules = Exchange(
        replicas=now.replicas,
        wanted=wanted,
        max_unavailable=now.replicas if recreate else now.rules.max_unavailable,
        others_first=recreate,
    )
    sizes = exchanged(now.observed, growing, now.stable, rules)
    if now.stable is not None and now.stable != growing and wanted < now.replicas:
        spare = now.replicas - max(sum(sizes.values()), len(now.observed.pods))
        kept = sizes.get(now.stable, 0)
        sizes[now.stable] = max(kept, min(kept + spare, now.replicas - wanted))
    others = sum(size for name, size in sizes.items() if name != growing)
    waiting = max(0, now.observed.foreign_pod_count(growing) - others)
    return sizes, None if others else growing, waiting
