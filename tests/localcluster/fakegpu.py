"""GPUs that exist only in the nodes' status: the scheduler counts them like real ones."""

import json
from pathlib import Path
from typing import Any

from localcluster import build, commands
from localcluster.console import Failure, say

RESOURCE = "nvidia.com/gpu"


def patch(count: int, capacity: dict[str, str]) -> list[dict[str, Any]]:
    """The change of a node's status that makes it offer `count` GPUs, or none for 0."""
    # JSON pointers write "/" as "~1".
    paths = [
        f"/status/{part}/{RESOURCE.replace('/', '~1')}" for part in ("capacity", "allocatable")
    ]
    if count:
        return [{"op": "add", "path": path, "value": str(count)} for path in paths]
    return [{"op": "remove", "path": path} for path in paths] if RESOURCE in capacity else []


def offer(count: int, kubeconfig: Path) -> None:
    """Let every node offer `count` GPUs."""
    if count < 0:
        raise Failure("COUNT must not be negative")
    kubectl: commands.Argv = [build.ensure(["kubectl"]) / "kubectl", f"--kubeconfig={kubeconfig}"]
    nodes = json.loads(commands.output([*kubectl, "get", "nodes", "-o", "json"]))["items"]
    for node in nodes:
        name, change = node["metadata"]["name"], patch(count, node["status"]["capacity"])
        if change:
            words = ["patch", "node", name, "--subresource=status", "--type=json"]
            commands.output([*kubectl, *words, f"--patch={json.dumps(change)}"])
        say(f"node {name} offers {count} {RESOURCE}")
