"""Image archives in the docker-archive format: writing a one-file image, and reading layers."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any


def write_single_program(target: Path, program: Path, reference: str) -> None:
    """An image with nothing but one static program, which it runs."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as files:
        entry = tarfile.TarInfo(program.name)
        content = program.read_bytes()
        entry.size, entry.mode = len(content), 0o755
        files.addfile(entry, io.BytesIO(content))
    digest = hashlib.sha256(layer.getvalue()).hexdigest()
    config = {
        "architecture": _architecture(program),
        "os": "linux",
        "config": {"Entrypoint": [f"/{program.name}"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [reference], "Layers": ["layer.tar"]}]
    with tarfile.open(target, "w") as image:
        _add(image, "config.json", json.dumps(config).encode())
        _add(image, "layer.tar", layer.getvalue())
        _add(image, "manifest.json", json.dumps(manifest).encode())


def _add(image: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    image.addfile(entry, io.BytesIO(content))


def _architecture(program: Path) -> str:
    """Image and program must agree; the ELF header tells."""
    machine = int.from_bytes(program.read_bytes()[18:20], "little")
    return {0x3E: "amd64", 0xB7: "arm64"}.get(machine, "amd64")


def layer_sizes(archive: Path) -> dict[str, int]:
    """Bytes of each layer, uncompressed, by its diff id, from the lowest up."""
    with tarfile.open(archive) as image:
        (manifest,) = _json(image, "manifest.json")
        diff_ids = _json(image, manifest["Config"])["rootfs"]["diff_ids"]
        sizes = [_content_size(image, name) for name in manifest["Layers"]]
    return dict(zip(diff_ids, sizes, strict=True))


def identity(archive: Path) -> tuple[list[str], str]:
    """The references that an archive's image bears, and the image's id."""
    with tarfile.open(archive) as image:
        (manifest,) = _json(image, "manifest.json")
        config = image.extractfile(manifest["Config"])
        content = config.read() if config else b""
    return manifest["RepoTags"] or [], f"sha256:{hashlib.sha256(content).hexdigest()}"


def _json(image: tarfile.TarFile, name: str) -> Any:
    member = image.extractfile(name)
    if not member:
        raise ValueError(f"no {name} in the archive")
    return json.load(member)


def _content_size(image: tarfile.TarFile, name: str) -> int:
    member = image.getmember(name)
    # Equal layers are stored once, the others link to it.
    return (
        image.getmember(member.linkname).size if member.islnk() or member.issym() else member.size
    )
