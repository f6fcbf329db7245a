"""Installs the operator of this checkout, for the end-to-end tests and the demo."""

from pathlib import Path

from support.kubectl import Kubectl

MANIFESTS = Path(__file__).parents[2] / "charts/kustomize/local"
SYSTEM = "docparser-system"
DEPLOYMENT = "deployment/docparser-operator"
SECONDS = 240


def install(kubectl: Kubectl) -> None:
    """Apply CRD, RBAC and operator, and wait until both replicas run the image just loaded."""
    system = kubectl.within(SYSTEM)
    system.run("apply", "--server-side", "--force-conflicts", "-k", str(MANIFESTS))
    # The tag of a local build stays the same, so pods of an older build must be replaced.
    system.run("rollout", "restart", DEPLOYMENT)
    system.run(
        "rollout", "status", DEPLOYMENT, f"--timeout={SECONDS}s", timeout_seconds=SECONDS + 10
    )
