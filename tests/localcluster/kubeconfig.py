"""Kubeconfig files. JSON is YAML, so no YAML writer is needed."""

import base64
import json
import os
from pathlib import Path

from localcluster.pki import Pki

CONTEXT = "docparser-local"


def text(server: str, authority: bytes, certificate: bytes, key: bytes) -> str:
    """A kubeconfig with everything embedded, so that the file can be copied."""

    def data(content: bytes) -> str:
        return base64.b64encode(content).decode()

    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": CONTEXT,
                "cluster": {"server": server, "certificate-authority-data": data(authority)},
            }
        ],
        "users": [
            {
                "name": CONTEXT,
                "user": {
                    "client-certificate-data": data(certificate),
                    "client-key-data": data(key),
                },
            }
        ],
        "contexts": [{"name": CONTEXT, "context": {"cluster": CONTEXT, "user": CONTEXT}}],
        "current-context": CONTEXT,
    }
    return json.dumps(config, indent=1)


def write(target: Path, server: str, pki: Pki, client: str) -> Path:
    """Write the named client's kubeconfig, readable to its owner only."""
    target.parent.mkdir(parents=True, exist_ok=True)
    content = text(
        server,
        pki.authority.read_bytes(),
        pki.certificate(client).read_bytes(),
        pki.key(client).read_bytes(),
    )
    made = target.with_suffix(".new")
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as sink:
        sink.write(content)
    made.rename(target)
    return target
