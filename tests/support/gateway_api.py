"""The Gateway API's own definition of an HTTPRoute, from its Go module."""

import json
from pathlib import Path

from localcluster import commands, toolchain
from support.kubectl import Kubectl

MODULE = "sigs.k8s.io/gateway-api@v1.6.3"
FILE = "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"
NAME = "httproutes.gateway.networking.k8s.io"


def install_http_routes(cluster: Kubectl) -> None:
    """Teach the API server what an HTTPRoute is. Go keeps the module in its cache."""
    told = commands.output([toolchain.go(), "mod", "download", "-json", MODULE])
    file = Path(json.loads(told)["Dir"]) / FILE
    cluster.run("apply", "--server-side", "-f", str(file))
    cluster.run("wait", "--for=condition=Established", f"crd/{NAME}", "--timeout=60s")
