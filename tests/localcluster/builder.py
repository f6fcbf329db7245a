"""The two programs that can build an image: docker with its engine, else buildah."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from localcluster import baseimage, commands, mounts, packages, paths
from localcluster.commands import Argv
from localcluster.console import Failure, Ticker, say, tail

AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
# A changed lock file adds about 25 layers and 1.5 GB, changed sources 15 small ones.
LAYERS_KEPT = 150


class Builder(Protocol):
    """Builds a Dockerfile of this repository and writes the image as a docker-archive."""

    @property
    def name(self) -> str:
        """What the program is called."""

    def base_layers(self) -> list[str]:
        """Make sure of the base image and return its layers' diff ids."""

    def tidy(self) -> None:
        """Free disk; called while no build runs."""

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


def _step(command: Argv, log: Path, what: str) -> None:
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

    def tidy(self) -> None:
        """Nothing to do: the engine looks after its own store."""

    def build(self, dockerfile: Path, reference: str, archive: Path, log: Path) -> None:
        """Build by the engine's own layer cache."""
        build: Argv = ["docker", "build", "--tag", reference, "--file", dockerfile]
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
            self._make_base(baseimage.archive())
        described: dict[str, Any] = json.loads(commands.output(inspect))
        layers: list[str] = described["OCIv1"]["rootfs"]["diff_ids"]
        return layers

    def _make_base(self, root: Path) -> None:
        say("making the base image")
        with tempfile.TemporaryDirectory(dir=root.parent, prefix=".base-") as folder:
            # A second name for the same file: buildah reads no further than the folder.
            (Path(folder) / root.name).hardlink_to(root)
            words = ["bud", "--isolation=chroot", f"--tag={self._base}", "--file=-", folder]
            text = f"FROM scratch\nADD {root.name} /\n"
            commands.output(self._buildah(*words), stdin=text)

    def build(self, dockerfile: Path, reference: str, archive: Path, log: Path) -> None:
        """Build with the host's network; its certificate authorities are lent, not copied."""
        words: Argv = ["bud", "--isolation=chroot", "--network=host", "--layers"]
        words += ["--pull=never", f"--tag={reference}", f"--file={dockerfile}"]
        words.append(f"--build-arg=BASE_IMAGE={self._base}")
        if AUTHORITIES.exists():
            words.append(f"--volume={AUTHORITIES.parent}:{AUTHORITIES.parent}:ro")
            words += [f"--build-arg={name}={AUTHORITIES}" for name in ("PIP_CERT", "SSL_CERT_FILE")]
        _step(self._buildah(*words, paths.REPOSITORY), log, f"building {reference}")
        target = f"docker-archive:{archive}:{reference}"
        commands.output(self._buildah("push", reference, target))

    def tidy(self) -> None:
        """Remove what killed builds left, and everything once the layer cache has grown large."""
        commands.output(self._buildah("rm", "--all"))
        layers = commands.output(self._buildah("images", "--all", "--quiet", "--no-trunc"))
        if len(layers.split()) > LAYERS_KEPT:
            commands.output(self._buildah("rmi", "--all", "--force"))

    def _buildah(self, *words: str | Path) -> Argv:
        store = paths.cache() / "buildah"
        # An overlay cannot lie on an overlay (this machine may be a container itself).
        driver = "vfs" if mounts.kind(paths.cache()) == "overlay" else "overlay"
        where = [f"--root={store / 'storage'}", f"--runroot={store / 'run'}"]
        return ["buildah", *where, f"--storage-driver={driver}", *words]
