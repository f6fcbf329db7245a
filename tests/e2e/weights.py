"""Weights for the engine `fake`, a server that has them, and a volume to keep them."""

import contextlib
import hashlib
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docparser_api import names
from localcluster import paths
from support.e2e import IMAGE, PYTHON, Client
from support.kubectl import Kubectl, Manifest

TESTS = Path(__file__).parents[1]
PROGRAM = Path(sys.executable).parent / "docparser-runtime"
PORT = 8000
CODE = (
    "support/file_server.py",
    "support/s3_signature.py",
    "support/threaded_server.py",
    "e2e/weights_server.py",
)
USER = 65532


@dataclass(frozen=True)
class WeightsServer:
    """A pod that serves weights, whole and spoilt.

    Attributes:
        digests: SHA-256 of the manifest of each version.
    """

    kubectl: Kubectl
    digests: dict[str, str]

    def weights(self, version: str, kind: str = "good", claim: str = "") -> Manifest:
        """spec.model.weights of a version."""
        cache = {"persistentVolumeClaim": {"claimName": claim}} if claim else {}
        url = f"http://weights.{self.kubectl.namespace}.svc:{PORT}/{kind}/{version}"
        return {
            "version": version,
            "source": {"http": {"url": url}},
            "manifest": {"sha256": self.digests[version]},
            "cache": cache,
        }

    def sent(self, client: Client) -> str:
        """JSON of the bytes sent for each path."""
        return client.get(f"http://weights.{self.kubectl.namespace}.svc:{PORT}/sent")


@contextlib.contextmanager
def weights_server(kubectl: Kubectl, texts: dict[str, str]) -> Iterator[WeightsServer]:
    """Serve weights, for each version with the text that the engine `fake` then answers."""
    digests = {}
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for version, text in texts.items():
            folder = Path(scratch) / version
            folder.mkdir()
            (folder / "fake.md").write_text(text)
            subprocess.run(
                [PROGRAM, "weights", "manifest", folder], check=True, capture_output=True
            )
            content = (folder / names.WEIGHTS_MANIFEST_FILE).read_bytes()
            digests[version] = hashlib.sha256(content).hexdigest()
            files += [f"--from-file={version}-{file.name}={file}" for file in folder.iterdir()]
        kubectl.run("create", "configmap", "weights", *files)
    code = [f"--from-file={name.replace('/', '-')}={TESTS / name}" for name in CODE]
    kubectl.run("create", "configmap", "code", *code)
    for manifest in (_service(), _pod()):
        kubectl.apply(manifest)
    kubectl.run("wait", "pod/weights", "--for=condition=Ready", "--timeout=60s")
    yield WeightsServer(kubectl, digests)


@contextlib.contextmanager
def shared_claim(kubectl: Kubectl) -> Iterator[str]:
    """A ReadWriteMany claim on a directory of the local cluster's only node; its name."""
    folder = paths.state().root / f"shared-{uuid.uuid4().hex[:8]}"
    folder.mkdir(mode=0o770)
    shutil.chown(folder, USER, USER)
    volume = f"{kubectl.namespace}-cache"
    access = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    capacity = {"storage": "1Gi"}
    place = {"hostPath": {"path": str(folder), "type": "Directory"}, "capacity": capacity}
    metadata = {"apiVersion": "v1", "metadata": {"name": volume}}
    kubectl.apply({**metadata, "kind": "PersistentVolume", "spec": {**access, **place}})
    claim = {**access, "volumeName": volume, "resources": {"requests": capacity}}
    kubectl.apply({**metadata, "kind": "PersistentVolumeClaim", "spec": claim})
    try:
        yield volume
    finally:
        kubectl.run("delete", "persistentvolume", volume, "--wait=false")
        shutil.rmtree(folder)


def _service() -> Manifest:
    spec = {"selector": {"app": "weights"}, "ports": [{"port": PORT}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "weights"}, "spec": spec}


def _pod() -> Manifest:
    items = [{"key": name.replace("/", "-"), "path": name} for name in CODE]
    security = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    container = {
        "name": "weights",
        "image": IMAGE,
        "command": [PYTHON, "-m", "e2e.weights_server", "/weights", str(PORT)],
        "workingDir": "/code",
        "env": [{"name": "PYTHONPATH", "value": "/code"}],
        "readinessProbe": {"tcpSocket": {"port": PORT}, "periodSeconds": 1},
        "securityContext": security,
        "volumeMounts": [
            {"name": "code", "mountPath": "/code"},
            {"name": "weights", "mountPath": "/weights"},
        ],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "weights", "labels": {"app": "weights"}},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [container],
            "volumes": [
                {"name": "code", "configMap": {"name": "code", "items": items}},
                {"name": "weights", "configMap": {"name": "weights"}},
            ],
        },
    }
