"""A control plane without nodes, ready for DocParserDeployments."""

import os
from pathlib import Path

from localcluster import paths
from localcluster.controlplane import ASSETS_ENV, ControlPlane
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest

CRD = Path(__file__).parents[2] / "crds/docparserdeployments.yaml"


def with_crd(plane: ControlPlane) -> Kubectl:
    """Install the CRD; return kubectl for the control plane once it is served."""
    program = Path(os.environ.get(ASSETS_ENV) or paths.binaries()) / "kubectl"
    chosen = program if program.exists() else paths.binaries() / "kubectl"
    kubectl = Kubectl(str(chosen), plane.kubeconfig)
    kubectl.run("apply", "--server-side", "-f", str(CRD))
    # kubectl's own wait fails on an object whose conditions are null, as they are at first.
    eventually(
        lambda: kubectl.get("crd", "docparserdeployments.docparser.dev"),
        _is_established,
        30,
        "the CRD is served",
    )
    return kubectl


def in_new_namespace(cluster: Kubectl, namespace: str) -> Kubectl:
    """Return kubectl in a namespace that is made and usable."""
    cluster.run("create", "namespace", namespace)
    inside = cluster.within(namespace)
    eventually(lambda: inside.get("serviceaccount", "default"), bool, 20, "namespace is usable")
    return inside


def _is_established(crd: Manifest | None) -> bool:
    conditions = (crd or {}).get("status", {}).get("conditions") or []
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)
