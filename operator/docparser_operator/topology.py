"""Where requests enter, and how tasks are split, whatever topology each revision has. Pure."""

from collections.abc import Mapping

from docparser_api import names
from docparser_api.deployment import DocParserDeployment, ObjectMeta
from docparser_api.split import Split
from docparser_api.status import Reason

from docparser_operator import kinds
from docparser_operator.desired.gateways import gateway_name, gateway_selector, gateways
from docparser_operator.desired.metadata import pod_selector
from docparser_operator.desired.queue import split_config_map, split_of
from docparser_operator.kinds import Manifest, Ref, ref_of
from docparser_operator.observed import Observed
from docparser_operator.problems import Problem
from docparser_operator.revisions import Revision
from docparser_operator.situation import Decision

Revisions = Mapping[str, Revision]
_ALL = 100


def is_queued(revision: Revision | None) -> bool:
    """Return whether the pods of `revision` are workers behind gateways."""
    return revision is not None and revision.shape.get("topology") == "Queue"


def differ(target: Revision, stable: Revision | None) -> bool:
    """Return whether to go from one to the other changes the topology."""
    return stable is not None and is_queued(target) != is_queued(stable)


def is_reachable(target: Revision, stable: Revision | None, observed: Observed) -> bool:
    """Return whether requests get to `target` once it serves.

    Where the revision that serves has gateways they are those of the next one, too.
    """
    return not is_queued(target) or is_queued(stable) or observed.gateways > 0


def entrance(
    owner: ObjectMeta, decision: Decision, revisions: Revisions, observed: Observed
) -> dict[str, str]:
    """Return the labels of the pods that the Service selects.

    While pods of both topologies serve, or none does yet, requests wait at the gateways for either.
    """
    serving = decision.serving
    if serving is not None:
        pods = observed.workloads.get(serving)
        waits = observed.gateways > 0 and not (pods and pods.available)
        queued = is_queued(revisions.get(serving)) or waits
        return gateway_selector(owner) if queued else pod_selector(owner, serving)
    live = {name for name, size in decision.sizes.items() if size} | set(observed.workloads)
    direct = sorted(name for name in live if not is_queued(revisions.get(name)))
    if len(direct) == len(live):
        return pod_selector(owner, None)
    if observed.gateways or not direct:
        return gateway_selector(owner)
    return pod_selector(owner, decision.stable if decision.stable in direct else direct[0])


def doors(parser: DocParserDeployment, decision: Decision, revisions: Revisions) -> list[Manifest]:
    """Return what the gateways consist of, where there are to be any.

    They are those of the serving revision; of one that is to be the first with a queue, as long as
    none serves.
    """
    behind = _behind_doors(decision, revisions)
    return [] if behind is None else gateways(parser, behind.shape, behind.template)


def _behind_doors(decision: Decision, revisions: Revisions) -> Revision | None:
    for name in (decision.stable, decision.rollout.revision):
        found = revisions.get(name or "")
        if is_queued(found) and (name == decision.stable or not _is_given_up(decision)):
            return found
    return None


def superfluous_doors(
    parser: DocParserDeployment, observed: Observed, decision: Decision, revisions: Revisions
) -> list[Ref]:
    """Return the gateways' objects and the split of tasks, where no revision needs them."""
    owner = parser.metadata
    gone = []
    if _behind_doors(decision, revisions) is None:
        both = (kinds.DEPLOYMENT, kinds.DISRUPTION_BUDGET)
        gone += [Ref(kind, owner.namespace, gateway_name(owner)) for kind in both]
    # A kept revision may come back, and a trial of that mounts the split.
    if not any("queue" in revision.shape for revision in revisions.values()):
        gone.append(Ref(kinds.CONFIG_MAP, owner.namespace, owner.name + names.SUFFIX_SPLIT))
    present = {ref_of(manifest) for manifest in observed.manifests}
    return [ref for ref in gone if ref in present]


def task_split(
    parser: DocParserDeployment, decision: Decision, revisions: Revisions
) -> list[Manifest]:
    """Return the ConfigMap that splits new tasks among the revisions; none without a queue."""
    stable, target = decision.stable, decision.rollout.revision
    weight = decision.rollout.weight if stable not in {None, target} else _ALL
    shares = {stable or "": _ALL - weight} if weight < _ALL else {}
    if weight or not _is_given_up(decision):
        # Tasks that wait for a revision without a share may stay: its pods are about to come.
        shares[target] = weight
    known = {name for name, revision in revisions.items() if "queue" in revision.shape}
    tracks = {name: share for name, share in shares.items() if name in known}
    if tracks and not any(tracks.values()):
        # The other revision knows nothing of the queue, so all that comes there is for this one.
        tracks = dict.fromkeys(tracks, _ALL)
    scaling = parser.status.autoscaling
    wake_up_seconds = scaling.wake_up_seconds if scaling else None
    owner = parser.metadata
    return [split_config_map(owner, Split(tracks=tracks), wake_up_seconds)] if tracks else []


def gives_all_to(target: str, observed: Observed, owner: ObjectMeta) -> bool:
    """Return whether all new requests go to gateways, and from there to `target`."""
    found = {(m["kind"], m["metadata"]["name"]): m for m in observed.manifests}
    service = found.get((kinds.SERVICE.kind, owner.name))
    config_map = found.get((kinds.CONFIG_MAP.kind, owner.name + names.SUFFIX_SPLIT))
    if service is None or config_map is None:
        return False
    split = split_of(config_map)
    is_entered = service["spec"]["selector"] == gateway_selector(owner)
    return is_entered and split is not None and set(split.tracks) == {target}


def closed_door(revision: Revision | None, observed: Observed) -> Problem | None:
    """Return why no request gets in, though `revision` serves; None if they do."""
    if not is_queued(revision) or observed.gateways:
        return None
    return Problem(Reason.INSUFFICIENT_REPLICAS, "no gateway is available")


def _is_given_up(decision: Decision) -> bool:
    return decision.rollout.failed_at is not None
