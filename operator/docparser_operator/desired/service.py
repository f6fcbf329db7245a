"""The Service in front of the pods that serve."""

from typing import Any

from docparser_api import names
from docparser_api.deployment import DocParserDeployment

from docparser_operator.desired.metadata import metadata, pod_selector
from docparser_operator.kinds import Manifest


def rollout_services(parser: DocParserDeployment, target: str, stable: str) -> list[Manifest]:
    """Return the Services for each of both revisions alone, while one is tried out."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata(parser.metadata, parser.metadata.name + suffix),
            "spec": {
                "type": "ClusterIP",
                "selector": pod_selector(parser.metadata, revision),
                "ports": [_port(parser)],
            },
        }
        for suffix, revision in ((names.SUFFIX_CANARY, target), (names.SUFFIX_STABLE, stable))
    ]


def service(parser: DocParserDeployment, selector: dict[str, str]) -> Manifest:
    """Return the Service for the pods with these labels."""
    wanted = parser.spec.service
    port = _port(parser)
    if wanted.node_port is not None:
        port["nodePort"] = wanted.node_port
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(parser.metadata, parser.metadata.name, annotations=wanted.annotations),
        "spec": {
            "type": wanted.type,
            "selector": selector,
            "ports": [port],
        },
    }


def _port(parser: DocParserDeployment) -> dict[str, Any]:
    return {
        "name": names.PORT_NAME,
        "port": parser.spec.service.port,
        "targetPort": names.PORT_NAME,
        "protocol": "TCP",
        "appProtocol": "http",
    }
