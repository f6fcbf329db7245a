"""DocParserDeployments with history and pods, as the commands get them from the API server."""

import io
from typing import Any

from docparser_api import names
from docparser_api.spec import PodShape
from docparser_kubectl.subject import Subject, subject_of
from docparser_operator.desired.pod import pod_template
from docparser_operator.kinds import Manifest
from docparser_operator.revisions import (
    Observation,
    Outcome,
    Revision,
    content_of,
    controller_revision,
    hash_of,
)
from rich.console import Console, RenderableType
from support.builders import ParserBuilder, a_parser

CREATED = "2026-01-01T10:00:00Z"
SERVED = Outcome("Succeeded", "2026-01-01T10:02:00Z")
FAILED = Outcome("Failed", "2026-01-01T11:00:00Z", "CrashLoop", "exit code 1")


def a_revision(number: int, image: str, outcome: Outcome | None = SERVED, **shape: Any) -> Revision:
    """Return the revision that spec with `image` asks for, seen at resourceVersion 100*number."""
    content = content_of(PodShape.model_validate({"image": image, **shape}))
    name = hash_of(content)
    template = pod_template(a_parser().built().metadata, PodShape.model_validate(content), name)
    seen = (Observation(number, number, str(100 * number)),)
    return Revision(name, content, template, seen, outcome)


OLD = a_revision(1, "example.org/runtime:1")
NEW = a_revision(2, "example.org/runtime:2", None)
BAD = a_revision(3, "example.org/runtime:3", FAILED)


def record(revision: Revision) -> Manifest:
    """Return the ControllerRevision of `revision`."""
    manifest = controller_revision(a_parser().built().metadata, revision)
    manifest["metadata"] |= {"creationTimestamp": CREATED}
    return manifest


def workload(revision: Revision, size: int, available: int | None = None) -> list[Manifest]:
    """Return the Deployment of `revision` and its pods."""
    owner = a_parser().built().metadata
    manifest = controller_revision(owner, revision)
    labels = {names.LABEL_DEPLOYMENT: owner.name, names.LABEL_REVISION: revision.hash}
    ready = size if available is None else available
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {**manifest["metadata"], "generation": 1},
        "spec": {"replicas": size, "selector": {"matchLabels": labels}},
        "status": {
            "observedGeneration": 1,
            "replicas": size,
            "readyReplicas": ready,
            "availableReplicas": ready,
        },
    }
    return [deployment, *(pod(revision, index, labels, ready) for index in range(size))]


def pod(revision: Revision, index: int, labels: dict[str, str], ready: int) -> Manifest:
    """Return a pod that became ready after 30 seconds."""
    condition = {
        "type": "Ready",
        "status": "True" if index < ready else "False",
        "lastTransitionTime": "2026-01-01T10:00:30Z",
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"reader-{revision.hash}-{index}",
            "namespace": "default",
            "labels": labels,
            "creationTimestamp": CREATED,
            "ownerReferences": [{"kind": "ReplicaSet", "controller": True, "uid": "rs"}],
        },
        "spec": {"nodeName": "node"},
        "status": {"phase": "Running", "conditions": [condition]},
    }


def serving(revision: Revision = OLD, wanted: Revision | None = None) -> ParserBuilder:
    """Return the builder of an object that serves `revision`."""
    target = wanted or revision
    return (
        a_parser()
        .with_image(target.shape["image"])
        .with_replicas(2)
        .with_status(
            observedGeneration=1,
            currentRevision=revision.hash,
            currentRevisionNumber=revision.number,
            updateRevision=target.hash,
            updateRevisionNumber=target.number,
            availableReplicas=2,
            replicas=2,
        )
    )


CANARY = {
    "strategy": "Canary",
    "steps": [
        {"setWeight": 50},
        {"pause": {}},
        {"pause": {"durationSeconds": 90}},
        {"analysis": {"durationSeconds": 60}},
    ],
}


def canary(step: int, **rollout: Any) -> ParserBuilder:
    """Return the builder of an object whose canary is at `step`."""
    status = {
        "revision": NEW.hash,
        "startedAt": "2026-01-01T12:00:00Z",
        "steps": 4,
        "stepIndex": step,
        "weight": 33,
        **rollout,
    }
    return serving(OLD, NEW).with_rollout(**CANARY).with_status(rollout=status)


def condition(kind: str, status: str, reason: str, message: str = "") -> Manifest:
    """Return a condition of generation 1."""
    return {
        "type": kind,
        "status": status,
        "observedGeneration": 1,
        "lastTransitionTime": CREATED,
        "reason": reason,
        "message": message,
    }


def subject(
    builder: ParserBuilder, *revisions: Revision, pods: list[Manifest] | None = None
) -> Subject:
    """Return what the commands look at."""
    return subject_of(builder.body(), [*map(record, revisions), *(pods or [])])


def text(view: RenderableType, width: int = 120) -> str:
    """Return what a terminal of `width` columns shows, without colours."""
    console = Console(file=io.StringIO(), width=width, highlight=False, emoji=False, markup=False)
    with console.capture() as shown:
        console.print(view)
    return "\n".join(line.rstrip() for line in shown.get().splitlines())
