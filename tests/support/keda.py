"""KEDA's own definition of a ScaledObject, from its Go module."""

import json
from pathlib import Path

from localcluster import commands, toolchain
from support.kubectl import Kubectl

MODULE = "github.com/kedacore/keda/v2@v2.18.0"
FILE = "config/crd/bases/keda.sh_scaledobjects.yaml"
NAME = "scaledobjects.keda.sh"


def install_scaled_objects(cluster: Kubectl) -> None:
    """Teach the API server what a ScaledObject is. Go keeps the module in its cache."""
    told = commands.output([toolchain.go(), "mod", "download", "-json", MODULE])
    file = Path(json.loads(told)["Dir"]) / FILE
    cluster.run("apply", "--server-side", "-f", str(file))
    cluster.run("wait", "--for=condition=Established", f"crd/{NAME}", "--timeout=60s")


def remove_scaled_objects(cluster: Kubectl) -> None:
    """Let the API server forget them, with all that there are."""
    cluster.run("delete", "crd", NAME, "--ignore-not-found")
