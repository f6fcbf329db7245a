"""Fluent builders of the objects that tests talk about."""

import copy
from dataclasses import dataclass, field, replace
from typing import Any

from docparser_api import names
from docparser_api.deployment import DocParserDeployment, parse
from docparser_operator.kinds import Manifest
from docparser_operator.observed import Observed, Workload
from docparser_operator.pods import Pod

IMAGE = "example.org/runtime:1"


@dataclass(frozen=True)
class ParserBuilder:
    """Builds a DocParserDeployment; `body` as the API server has it, `built` as it is parsed."""

    name: str = "reader"
    namespace: str = "default"
    uid: str = "uid-1"
    generation: int = 1
    resource_version: str = "1"
    annotations: dict[str, str] = field(default_factory=dict)
    spec: Manifest = field(default_factory=lambda: {"image": IMAGE})
    status: Manifest = field(default_factory=dict)

    def named(self, name: str, namespace: str = "default") -> "ParserBuilder":
        return replace(self, name=name, namespace=namespace)

    def with_uid(self, uid: str) -> "ParserBuilder":
        return replace(self, uid=uid)

    def with_generation(self, generation: int) -> "ParserBuilder":
        return replace(self, generation=generation)

    def with_annotation(self, key: str, value: str) -> "ParserBuilder":
        return replace(self, annotations={**self.annotations, key: value})

    def with_spec(self, **values: Any) -> "ParserBuilder":
        """Set fields of the spec by their JSON names; None removes one."""
        merged = {**self.spec, **values}
        return replace(self, spec={k: v for k, v in merged.items() if v is not None})

    def with_status(self, **values: Any) -> "ParserBuilder":
        return replace(self, status={**self.status, **values})

    def with_image(self, image: str) -> "ParserBuilder":
        return self.with_spec(image=image)

    def with_replicas(self, replicas: int) -> "ParserBuilder":
        return self.with_spec(replicas=replicas)

    def with_rollout(self, **values: Any) -> "ParserBuilder":
        return self.with_spec(rollout={**self.spec.get("rollout", {}), **values})

    def in_place(self, max_unavailable: int = 1) -> "ParserBuilder":
        return self.with_rollout(strategy="InPlace", maxUnavailable=max_unavailable)

    def with_runtime(self, **values: Any) -> "ParserBuilder":
        return self.with_spec(runtime={**self.spec.get("runtime", {}), **values})

    def body(self) -> Manifest:
        metadata = {
            "name": self.name,
            "namespace": self.namespace,
            "uid": self.uid,
            "generation": self.generation,
            "resourceVersion": self.resource_version,
            "annotations": self.annotations,
        }
        what = {"apiVersion": names.API_VERSION, "kind": names.KIND, "metadata": metadata}
        return copy.deepcopy({**what, "spec": self.spec, "status": self.status})

    def manifest(self) -> Manifest:
        """Return what a user would send: no status, no identity."""
        body = self.body()
        metadata = {k: body["metadata"][k] for k in ("name", "namespace", "annotations")}
        return {**{k: body[k] for k in ("apiVersion", "kind", "spec")}, "metadata": metadata}

    def built(self) -> DocParserDeployment:
        return parse(self.body())


def a_parser() -> ParserBuilder:
    return ParserBuilder()


def a_workload(
    revision: str,
    size: int = 0,
    *,
    available: int | None = None,
    pods: int | None = None,
    current: bool = True,
    failure: str | None = None,
) -> Workload:
    """Return a Deployment, all of whose pods are available unless said otherwise."""
    serving = size if available is None else available
    return Workload(
        revision=revision,
        replicas=size,
        pods=size if pods is None else pods,
        ready=serving,
        available=serving,
        current=current,
        failure=failure,
        manifest={"metadata": {"name": f"reader-{revision}"}},
    )


def a_pod(
    revision: str,
    name: str = "pod",
    *,
    ready: bool = True,
    deleting: bool = False,
    status: Manifest | None = None,
) -> Pod:
    return Pod(name, revision, deleting, ready, {"status": status or {}})


def observed_of(*workloads: Workload, leaving: dict[str, int] | None = None) -> Observed:
    """Return what is observed when each workload has its pods and `leaving` more shut down."""
    pods = [
        a_pod(w.revision, f"{w.revision}-{i}", ready=i < w.ready)
        for w in workloads
        for i in range(w.pods)
    ]
    for revision, count in (leaving or {}).items():
        pods += [a_pod(revision, f"{revision}-old-{i}", deleting=True) for i in range(count)]
    return Observed(workloads={w.revision: w for w in workloads}, pods=tuple(pods))
