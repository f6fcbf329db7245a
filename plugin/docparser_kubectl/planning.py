"""The command that looks ahead: plan."""

from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Final

import typer
from docparser_api.deployment import DocParserDeployment, parse
from docparser_operator import kinds
from docparser_operator.clock import utc_now
from docparser_operator.kinds import Kind, Manifest
from pydantic import ValidationError

from docparser_kubectl import files, plan_view, subject
from docparser_kubectl.cluster import KubernetesCluster, connect
from docparser_kubectl.console import console
from docparser_kubectl.dry_run import Apply, Create, Merge, trial
from docparser_kubectl.errors import Failure, Refused
from docparser_kubectl.forecast import forecast
from docparser_kubectl.obstacles import obstacles
from docparser_kubectl.options import Context, NameOrNone, Namespace
from docparser_kubectl.surroundings import Surroundings, Unseen

CONFIG_MAP: Final = Kind("v1", "ConfigMap", "configmaps")
CLAIM: Final = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
WOULD_CHANGE: Final = 2
"""Exit code of --exit-code when the object would change."""


def plan(
    name: NameOrNone = None,
    *,
    file: Annotated[
        str, typer.Option("--filename", "-f", help="File to try; - is standard input.")
    ],
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="End with 2 if something would change.")
    ] = False,
    namespace: Namespace = None,
    context: Context = None,
) -> None:
    """Show what applying a file would do, without doing it."""
    manifest = files.find(files.read(file), file, name)
    where = manifest["metadata"].get("namespace")
    if namespace is not None and where not in {None, namespace}:
        raise Failure(f"{file} names namespace {where}, not {namespace}; leave one of them out")
    cluster = connect(context, namespace or where)
    manifest = _without_status(manifest, cluster.namespace)
    live = subject.find(cluster, _valid_name(manifest))
    parser = _tried(cluster, live.body if live else None, manifest)
    around = _surroundings(cluster, parser)
    found = forecast(parser, live, around, utc_now())
    console().print(plan_view.render(found, obstacles(found, around)), soft_wrap=False)
    if exit_code and found.has_changes:
        raise typer.Exit(WOULD_CHANGE)


def _valid_name(manifest: Manifest) -> str:
    try:
        return subject.named(str(manifest["metadata"]["name"]))
    except ValueError as error:
        raise Failure(str(error)) from error


def _without_status(manifest: Manifest, namespace: str) -> Manifest:
    """Return what an apply would send."""
    metadata = {**manifest["metadata"], "namespace": namespace}
    return {**{k: v for k, v in manifest.items() if k != "status"}, "metadata": metadata}


def _tried(
    cluster: KubernetesCluster, live: Manifest | None, manifest: Manifest
) -> DocParserDeployment:
    """Return what the object would be.

    Raises:
        Failure: the API server would refuse it; the message has its words.
    """
    name = manifest["metadata"]["name"]
    try:
        match trial(live, manifest):
            case Create():
                body = cluster.try_create(manifest)
            case Merge(patch):
                body = cluster.try_merge(name, patch)
            case Apply(manager):
                body = cluster.try_apply(manifest, manager)
    except Refused as error:
        raise Failure(f"the API server would refuse it: {error}") from error
    # What is not stored has no version yet.
    body["metadata"] = {"resourceVersion": "0", **body["metadata"]}
    try:
        return parse({**body, "status": (live or {}).get("status", {})})
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, e["loc"])) for e in error.errors())
        raise Failure(f"this program cannot read {fields}; update it") from error


def _surroundings(cluster: KubernetesCluster, parser: DocParserDeployment) -> Surroundings:
    """Return what else the user may look at."""
    around = Surroundings()
    try:
        nodes, pods = (cluster.list(kind, everywhere=True) for kind in (kinds.NODE, kinds.POD))
        around = replace(around, nodes=nodes, pods=pods)
    except Refused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
    weights = parser.spec.model.weights
    if weights is None:
        return around
    if (reference := weights.manifest.config_map_key_ref) is not None:
        around = replace(around, config_map=_seen(cluster, CONFIG_MAP, reference.name))
    if (claim := weights.cache.persistent_volume_claim) is not None:
        around = replace(around, claim=_seen(cluster, CLAIM, claim.claim_name))
    return around


def _seen(cluster: KubernetesCluster, kind: Kind, name: str) -> Manifest | Unseen:
    """Return an object, or why there is nothing to see."""
    try:
        return cluster.get(kind, name)
    except Refused as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return Unseen.MISSING
        if error.status == HTTPStatus.FORBIDDEN:
            return Unseen.HIDDEN
        raise
