"""A small set of weights, a server that has it, and the places of a pod."""

import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docparser_api.names import WEIGHTS_MANIFEST_FILE
from docparser_api.weights import Weights
from docparser_runtime import logs
from docparser_runtime.weights import manifest
from docparser_runtime.weights.credentials import Credentials
from docparser_runtime.weights.fetch import Fetching, Outcome
from docparser_runtime.weights.places import Places
from docparser_runtime.weights.readying import make_ready
from docparser_runtime.weights.retrying import Retrying
from support.file_server import FileServer

RANGE = 64 * 1024
SIZES = {"model.safetensors": 5 * RANGE + 17, "sub/tokenizer one.json": 70, "empty.bin": 0}
TOTAL = sum(SIZES.values())
BIG = "model.safetensors"


def fill(root: Path, seed: int = 0) -> str:
    """Write the files and their manifest below `root`; return the manifest's digest."""
    source = random.Random(seed)  # noqa: S311 (content, no secret)
    for name, size in SIZES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.randbytes(size))
    content = manifest.of_directory(root).content()
    (root / WEIGHTS_MANIFEST_FILE).write_bytes(content)
    return manifest.digest(content)


@dataclass(frozen=True)
class Pod:
    """A pod that wants weights from a server."""

    server: FileServer
    places: Places
    sha256: str
    credentials: Credentials = field(default_factory=Credentials)
    free_bytes: int = 10**12
    stream: io.StringIO = field(default_factory=io.StringIO)

    def weights(self, **changes: Any) -> Weights:
        body = {
            "version": "v1",
            "source": {"http": {"url": f"{self.server.url}/files"}},
            "manifest": {"sha256": self.sha256},
            "cache": {"persistentVolumeClaim": {"claimName": "cache"}},
            "connections": 4,
        }
        return Weights.model_validate(body | changes)

    def fetch(self, **changes: Any) -> Outcome:
        how = Fetching(
            logs.create(self.stream, "info"),
            self.credentials,
            Retrying(tries=3, first_pause_seconds=0.01),
            RANGE,
            lambda _: self.free_bytes,
        )
        return make_ready(self.weights(**changes), self.places, how)

    @property
    def target(self) -> Path:
        return self.places.cache / self.weights().directory

    def files(self) -> dict[str, bytes]:
        """Return what an engine finds in its directory."""
        return {name: (self.target / name).read_bytes() for name in SIZES}

    def events(self) -> list[str]:
        return [json.loads(line)["event"] for line in self.stream.getvalue().splitlines()]

    def having(self, **changes: Any) -> "Pod":
        return replace(self, **changes)


def a_pod(tmp_path: Path) -> Iterator[Pod]:
    """Yield a pod and a running server with weights below /files."""
    sha256 = fill(tmp_path / "served" / "files")
    places = Places(
        cache=tmp_path / "cache",
        source=tmp_path / "source",
        check=tmp_path / "check",
        manifest=tmp_path / "manifest.json",
    )
    places.cache.mkdir()
    places.check.mkdir()
    with FileServer(tmp_path / "served").running() as server:
        yield Pod(server, places, sha256)
