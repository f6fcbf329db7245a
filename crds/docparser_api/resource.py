"""The custom resource itself, and its CustomResourceDefinition."""

from typing import Any

from docparser_api import names
from docparser_api.base import cel
from docparser_api.schema import structural
from docparser_api.spec import DocParserDeploymentSpec
from docparser_api.status import DocParserDeploymentStatus

MAX_NAME_LENGTH = 52
"""Leaves room for `-<10 hex digits>` within the 63 characters of a label value."""

_NAME_RULE = cel(
    f"self.metadata.name.size() <= {MAX_NAME_LENGTH} "
    "&& self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    f"metadata.name must be at most {MAX_NAME_LENGTH} lower-case letters, digits and hyphens and "
    "begin with a letter, since the Service bears the same name",
)


def _column(name: str, kind: str, path: str, description: str, priority: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "jsonPath": path,
        "description": description,
        "priority": priority,
    }


def _printer_columns() -> list[dict[str, Any]]:
    """Return what `kubectl get` prints; priority 1 only with `-o wide`."""
    ready = '.status.conditions[?(@.type=="Ready")].status'
    return [
        _column("Ready", "string", ready, "Whether the Service is backed by all wanted pods"),
        _column("Replicas", "integer", ".status.replicas", "Pods of the current revision"),
        _column("Available", "integer", ".status.availableReplicas", "Pods that can serve"),
        _column("Revision", "integer", ".status.currentRevisionNumber", "Revision that serves"),
        _column("Status", "string", ".status.summary", "What is going on"),
        _column("Age", "date", ".metadata.creationTimestamp", "Time since creation"),
        _column("Engine", "string", ".spec.model.engine", "What reads the pages", 1),
        _column("Image", "string", ".spec.image", "Image of the runtime", 1),
        _column("Endpoint", "string", ".status.endpoint", "Address inside the cluster", 1),
    ]


def _version() -> dict[str, Any]:
    return {
        "name": names.VERSION,
        "served": True,
        "storage": True,
        "additionalPrinterColumns": _printer_columns(),
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "schema": {
            "openAPIV3Schema": {
                "type": "object",
                "description": "A fleet of OCR pods behind one Service.",
                "required": ["spec"],
                "x-kubernetes-validations": [_NAME_RULE],
                "properties": {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                    "metadata": {"type": "object"},
                    "spec": structural(DocParserDeploymentSpec),
                    "status": structural(DocParserDeploymentStatus),
                },
            }
        },
    }


def custom_resource_definition() -> dict[str, Any]:
    """Return the CustomResourceDefinition of DocParserDeployment."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names.PLURAL}.{names.GROUP}"},
        "spec": {
            "group": names.GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": names.KIND,
                "listKind": f"{names.KIND}List",
                "plural": names.PLURAL,
                "singular": names.SINGULAR,
                "shortNames": [names.SHORT_NAME],
                "categories": [names.CATEGORY],
            },
            "versions": [_version()],
        },
    }
