"""What stands against a rollout before it has begun. Pure."""

from docparser_kubectl.forecast import Forecast
from docparser_kubectl.steps import duration
from docparser_kubectl.surroundings import Surroundings, Unseen


def obstacles(plan: Forecast, around: Surroundings) -> list[str]:
    """Return what is impossible, or will not go as asked for, each with a way out."""
    found = [*_of_choice(plan), *_of_nodes(plan), *_of_claim(plan, around)]
    if plan.fetch.problem is not None:
        found.append(plan.fetch.problem)
    rules = plan.parser.spec.rollout
    if plan.startup.seconds > rules.progress_deadline_seconds:
        found.append(
            f"pods take {duration(plan.startup.seconds)} to start, longer than "
            f"rollout.progressDeadlineSeconds ({duration(rules.progress_deadline_seconds)}) allows"
        )
    return found


def _of_choice(plan: Forecast) -> list[str]:
    target, name = plan.choice.target, plan.parser.metadata.name
    found = []
    if plan.has_failed:
        found.append(
            f"revision {target.number} ({target.hash}) has failed and is not tried again; "
            f"change spec, or: kubectl docparser retry {name}"
        )
    if plan.choice.is_rolled_back:
        found.append(
            f"a rollback keeps revision {target.number} ({target.hash}) whatever spec asks for; "
            f"end it with: kubectl docparser rollback {name} --end"
        )
    if plan.choice.requests.paused:
        found.append(f"the rollout is paused; go on with: kubectl docparser resume {name}")
    found += [p.message for p in (plan.choice.refusal, plan.choice.misread) if p is not None]
    return found


def _of_nodes(plan: Forecast) -> list[str]:
    """Return what nodes lack for the pods that are to start."""
    room, starting = plan.room, plan.course.fresh
    if room is None or starting == 0:
        return []
    if room.at_all == 0:
        reasons = [f"{count} of {room.nodes} {reason}" for reason, count in room.obstacles.items()]
        return [f"no node can run a pod: {'; '.join(reasons) or 'there are no nodes'}"]
    spec = plan.parser.spec
    beside = plan.replaces_pods and plan.stable is not None
    if plan.course.in_place and spec.rollout.strategy not in {"InPlace", "Recreate"}:
        return ["too few GPUs are free for pods beside the old ones; they are replaced in place"]
    if spec.resources.gpu.count and beside and not plan.course.in_place and room.now < starting:
        return [
            f"only {room.now} of {starting} new pods find free GPUs; the rollout waits for more"
        ]
    if not plan.course.in_place and room.now < starting:
        return [f"only {room.now} of {starting} new pods fit beside what runs; others stay Pending"]
    return []


def _of_claim(plan: Forecast, around: Surroundings) -> list[str]:
    """Return what is wrong with the volume that caches the weights."""
    weights = plan.parser.spec.model.weights
    wanted = weights.cache.persistent_volume_claim if weights else None
    if wanted is None:
        return []
    if around.claim is Unseen.MISSING:
        return [f"the claim {wanted.claim_name} does not exist; pods stay Pending until it does"]
    if isinstance(around.claim, Unseen):
        return []
    modes = around.claim.get("spec", {}).get("accessModes", [])
    if wanted.access_mode in modes:
        return []
    words = (
        f"the claim {wanted.claim_name} is {', '.join(modes)}, but spec says {wanted.access_mode}; "
        "pods on other nodes could not mount it"
    )
    return [words]
