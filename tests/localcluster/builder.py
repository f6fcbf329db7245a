"""The two programs that can build an image: docker with its engine, else buildah."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
import json
import os

from localcluster import baseimage, commands, mounts, packages, paths
from localcluster.console import Failure, Ticker, say, tail

AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")


class Builder(Protocol):
    """Builds a Dockerfile of this repository and writes the image as a docker-archive."""

    name: str

    def base_layers(self) -> list[str]:
        """Make sure of the base image and return its layers' diff ids."""

    def build(self, dockerfile: Path, reference: str, archive: Path, log: Path) -> None:
        """Build and write the archive; the output goes to the log."""


def chosen() -> Builder:
    """Docker where its engine answers; else buildah, installed when missing."""
    if commands.succeeds(["docker", "info"]):
        return Docker()
    if os.geteuid():
        raise Failure("building images needs a running Docker engine, or root for buildah")
    packages.ensure(packages.IMAGES)
    return Buildah()


def _step(command: list[str | Path], log: Path, what: str) -> None:
    ticker = Ticker(what)
    if commands.watched(command, log, ticker, cwd=paths.REPOSITORY):
        raise Failure(f"failed: {what}\n{tail(log, 40)}")


@dataclass(frozen=True)
class Docker:
    """The Docker engine; the Dockerfile's own default is the base image."""

    name: str = "docker"
    base: str = "python:3.11-slim"

    def base_layers(self) -> list[str]:
        """Pull the base image when it is missing."""
        inspect = ["docker", "image", "inspect", self.base]
        if not commands.succeeds(inspect):
            commands.output(["docker", "pull", self.base])
        layers: list[str] = json.loads(commands.output(inspect))[0]["RootFS"]["Layers"]
        return layers

    def build(self, dockerfile: Path, reference: str, archive: Path, log: Path) -> None:
        """Build by the engine's own layer cache."""
        build: list[str | Path] = ["docker", "build", "--tag", reference, "--file", dockerfile]
        base = f"--build-arg=BASE_IMAGE={self.base}"
        _step([*build, base, paths.REPOSITORY], log, f"building {reference}")
        commands.output(["docker", "save", "--output", archive, reference])


@dataclass(frozen=True)
class Buildah:
    """buildah with its store in the cache; needs root, no engine and no registry."""

    name: str = "buildah"

    @property
    def _base(self) -> str:
        return f"localhost/docparser-base:{baseimage.key()}"

    def base_layers(self) -> list[str]:
        """Make the base image from Debian packages when it is missing."""
        inspect = self._buildah("inspect", "--type=image", self._base)
        if not commands.succeeds(inspect):
            folder, text = baseimage.context()
            say("making the base image")
            words = ["bud", "--isolation=chroot", f"--tag={self._base}", "--file=-", folder]
            commands.output(self._buildah(*words), stdin=text)
        described: dict[str, Any] = json.loads(commands.output(inspect))
        layers: list[str] = described["OCIv1"]["rootfs"]["diff_ids"]
        return layers

    def build(self, dockerfile: Path, reference: str, archive: Path, log: Path) -> None:
        """Build with the host's network; its certificate authorities are lent, not copied."""
        words: list[str | Path] = ["bud", "--isolation=chroot", "--network=host", "--layers"]
        words += ["--pull=never", f"--tag={reference}", f"--file={dockerfile}"]
        words.append(f"--build-arg=BASE_IMAGE={self._base}")
        if AUTHORITIES.exists():
            words.append(f"--volume={AUTHORITIES.parent}:{AUTHORITIES.parent}:ro")
            words += [f"--build-arg={name}={AUTHORITIES}" for name in ("PIP_CERT", "SSL_CERT_FILE")]
        _step(self._buildah(*words, paths.REPOSITORY), log, f"building {reference}")
        target = f"docker-archive:{archive}:{reference}"
        commands.output(self._buildah("push", reference, target))

    def _buildah(self, *words: str | Path) -> list[str | Path]:
        store = paths.cache() / "buildah"
        # An overlay cannot lie on an overlay (this machine may be a container itself).
        driver = "vfs" if mounts.kind(paths.cache()) == "overlay" else "overlay"
        where = [f"--root={store / 'storage'}", f"--runroot={store / 'run'}"]
        return ["buildah", *where, f"--storage-driver={driver}", *words]
