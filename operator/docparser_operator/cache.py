"""Which weights in a shared cache are still needed. Pure."""

from collections.abc import Iterable

from docparser_api.deployment import DocParserDeployment
from docparser_api.weights import Weights
from pydantic import ValidationError

from docparser_operator import kinds
from docparser_operator.desired.helper_job import PRUNE
from docparser_operator.desired.prune_job import prune_job
from docparser_operator.kinds import Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.revisions import Revision


def cached(shape: Manifest) -> tuple[str, str] | None:
    """Return claim and directory of the weights in a shared cache; None where there are none."""
    body = shape.get("model", {}).get("weights")
    try:
        weights = Weights.model_validate(body) if body else None
    except ValidationError:  # written by another version of the operator
        return None
    return place_of(weights)


def place_of(weights: Weights | None) -> tuple[str, str] | None:
    """Return claim and directory of `weights`, if they lie in a shared cache."""
    if weights is None or not weights.is_fetched:
        return None
    claim = weights.cache.persistent_volume_claim
    if claim is None or claim.access_mode == "ReadOnlyMany":
        return None
    return claim.claim_name, weights.directory


def prune_jobs(
    parser: DocParserDeployment,
    observed: Observed,
    revisions: dict[str, Revision],
    forget: Iterable[str],
    neighbours: frozenset[tuple[str, str]],
) -> list[Manifest]:
    """Return a Job for each cache in which a revision that is forgotten leaves something behind.

    Args:
        parser: whose revisions these are.
        observed: its children.
        revisions: its revisions, those to forget included.
        forget: revisions that go.
        neighbours: claim and directory of the weights that other objects of the namespace need.
    """
    gone = set(forget)
    kept = {cached(r.shape) for name, r in revisions.items() if name not in gone} | neighbours
    left = {cached(revisions[name].shape) for name in gone} - kept
    image = _image(revisions, gone)
    if image is None:
        return []
    jobs = []
    for claim in sorted({place[0] for place in left if place}):
        keep = sorted(place[1] for place in kept if place and place[0] == claim)
        if keep:
            jobs.append(prune_job(parser, image, claim, keep))
    return [job for job in jobs if job["metadata"]["name"] not in observed.jobs]


def finished_prunes(parser: DocParserDeployment, observed: Observed) -> list[Ref]:
    """Return the Jobs that have done their work, so that the same one can be made again."""
    return [
        Ref(kinds.JOB, parser.metadata.namespace, job.name)
        for job in observed.jobs.values()
        if job.purpose == PRUNE and job.ended
    ]


def _image(revisions: dict[str, Revision], gone: set[str]) -> Manifest | None:
    """Return image and pull settings of the latest revision that stays."""
    kept = [revision for name, revision in revisions.items() if name not in gone]
    latest = max(kept, key=lambda revision: revision.number, default=None)
    if latest is None:
        return None
    pod = latest.template["spec"]
    container = {k: v for k, v in pod["containers"][0].items() if k in {"image", "imagePullPolicy"}}
    return container | {k: v for k, v in pod.items() if k == "imagePullSecrets"}
