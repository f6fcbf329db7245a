"""Container images, the product's and the tests': built when what goes in has changed."""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from localcluster import archive, baseimage, builder, locks, paths
from localcluster.builder import Builder
from localcluster.console import say

KEPT_VERSIONS = 2
SHARED_INPUTS = (".dockerignore", "pyproject.toml", "uv.lock", "crds")
NOT_INPUTS = {"__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


@dataclass(frozen=True)
class Image:
    """One image.

    Attributes:
        folder: where its Dockerfile lies, below the repository.
        inputs: what goes in besides, likewise.
    """

    name: str
    limit_bytes: int
    folder: str = "."
    inputs: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """What pods call it."""
        return f"docparser.dev/{self.name}:dev"

    @property
    def dockerfile(self) -> Path:
        """How it is built."""
        return paths.REPOSITORY / self.folder / f"Dockerfile.{self.name}"


IMAGES = (
    Image("operator", 120_000_000, inputs=(*SHARED_INPUTS, "operator")),
    Image("runtime", 600_000_000, inputs=(*SHARED_INPUTS, "runtime")),
)
TEST_IMAGES = (Image("postgres", 300_000_000, folder="tests/e2e"),)
"""What the end-to-end tests run beside the product."""


@dataclass(frozen=True)
class Built:
    """An image archive, and the bytes that the image has on top of its base."""

    image: Image
    archive: Path
    added_bytes: int


def files(root: Path) -> Iterator[Path]:
    """Every file of the path that goes into an image, in a fixed order."""
    if root.is_file():
        yield root
    elif root.is_dir() and root.name not in NOT_INPUTS:
        for entry in sorted(root.iterdir()):
            yield from files(entry)


def content_key(roots: list[Path], base: Path, extra: str) -> str:
    """Changes with the name or content of any file below the roots."""
    digest = hashlib.sha256(extra.encode())
    for path in (path for root in roots for path in files(root)):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"\n{path.relative_to(base)} {content}".encode())
    return digest.hexdigest()[:16]


def ensure(images: Iterable[Image] = IMAGES) -> list[Built]:
    """These images, up to date."""
    folder = paths.cache() / "images"
    with locks.exclusive(folder, "building images"):
        chosen = builder.chosen()
        return [_ensure(image, folder, chosen) for image in images]


def sizes(built: list[Built]) -> str:
    """The sizes as JSON, with their limits."""
    rows = {
        one.image.name: {
            "added_bytes": one.added_bytes,
            "limit_bytes": one.image.limit_bytes,
            "within_limit": one.added_bytes < one.image.limit_bytes,
        }
        for one in built
    }
    return json.dumps(rows, indent=2)


def _ensure(image: Image, folder: Path, chosen: Builder) -> Built:
    inputs = [paths.REPOSITORY / name for name in image.inputs]
    made_by = f"{chosen.name} {baseimage.key()}"
    key = content_key([image.dockerfile, *inputs], paths.REPOSITORY, made_by)
    target, facts = folder / f"{image.name}-{key}.tar", folder / f"{image.name}-{key}.json"
    if target.exists() and facts.exists():
        say(f"{image.reference} is up to date")
        # Used now, so it counts as new when old ones are thrown away.
        target.touch()
        return Built(image, target, json.loads(facts.read_text())["added_bytes"])
    say(f"building {image.reference} with {chosen.name}")
    chosen.tidy()
    base_layers = set(chosen.base_layers())
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{image.name}-") as scratch:
        made = Path(scratch) / "image.tar"
        chosen.build(image.dockerfile, image.reference, made, Path(scratch) / "log")
        layers = archive.layer_sizes(made)
        added = sum(size for layer, size in layers.items() if layer not in base_layers)
        facts.write_text(json.dumps({"reference": image.reference, "added_bytes": added}))
        made.rename(target)
    say(f"{image.reference} built: {added / 1e6:.0f} MB on top of its base")
    _forget_old(image, folder)
    return Built(image, target, added)


def _forget_old(image: Image, folder: Path) -> None:
    archives = sorted(folder.glob(f"{image.name}-*.tar"), key=lambda path: path.stat().st_mtime)
    for old in archives[:-KEPT_VERSIONS]:
        old.unlink()
        old.with_suffix(".json").unlink(missing_ok=True)
