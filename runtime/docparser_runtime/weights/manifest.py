"""The list of files with sizes and digests that pins weights."""

import hashlib
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal

from docparser_api.names import WEIGHTS_MANIFEST_FILE
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from docparser_runtime.weights.digests import sha256_of
from docparser_runtime.weights.errors import Code, WeightsError, storage

MOST_BYTES: Final = 8 * 1024**2
"""Largest manifest, in bytes."""
_MOST_NAME_BYTES: Final = 255
_MOST_PATH_BYTES: Final = 1024


def _safe(path: str) -> str:
    """Return `path` if it names a file below the directory of the weights on every system."""
    parts = path.split("/")
    if not path.isprintable() or "\\" in path or len(path.encode()) > _MOST_PATH_BYTES:
        raise ValueError("the path must be printable, short and without backslashes")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError("the path must be relative, without . and .. and empty parts")
    if any(part.startswith(".") for part in parts):
        raise ValueError("hidden files are not part of weights")
    if any(len(part.encode()) > _MOST_NAME_BYTES for part in parts):
        raise ValueError("a name of the path is longer than 255 bytes")
    if path == WEIGHTS_MANIFEST_FILE:
        raise ValueError("the manifest cannot list itself")
    return path


class File(BaseModel):
    """One file of the weights.

    Attributes:
        path: place below the directory of the weights, parts divided by slashes.
        size: in bytes.
        sha256: of its content, in hexadecimal digits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[str, AfterValidator(_safe)]
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Manifest(BaseModel):
    """All files of the weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    files: tuple[File, ...] = Field(min_length=1)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    def content(self) -> bytes:
        """Return the one spelling of this manifest."""
        ordered = self.model_copy(
            update={"files": tuple(sorted(self.files, key=lambda file: file.path))}
        )
        return ordered.model_dump_json().encode() + b"\n"


def digest(content: bytes) -> str:
    """Return the SHA-256 of a manifest, as `spec.model.weights.manifest.sha256` names it."""
    return hashlib.sha256(content).hexdigest()


def parse(content: bytes, sha256: str) -> Manifest:
    """Return the manifest that `content` holds.

    Raises:
        WeightsError: it is not the one with digest `sha256`, or it lists what no weights may have.
    """
    if len(content) > MOST_BYTES:
        raise _invalid(f"is larger than {MOST_BYTES} bytes")
    found = digest(content)
    if found != sha256:
        raise _invalid(
            f"has SHA-256 {found}, but spec.model.weights.manifest.sha256 is {sha256}; "
            "correct the one that is wrong"
        )
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise _invalid(f"{place}: {first['msg']}") from None
    _refuse_clashes(manifest)
    return manifest


def read(path: Path) -> bytes:
    """Return the content of the file at `path`, or its beginning if it is too large.

    Raises:
        WeightsError: it is not there or cannot be read.
    """
    try:
        with storage(WEIGHTS_MANIFEST_FILE), path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except WeightsError as error:
        raise _invalid(f"cannot be read from {path}: {error.message}") from None


def of_directory(root: Path) -> Manifest:
    """Return the manifest of the files below `root`, hidden ones and the manifest left out.

    Raises:
        WeightsError: a name or a link is not fit for weights, or there is no file.
    """
    files = tuple(_described(root, path) for path in sorted(_visible(root)))
    if not files:
        raise _invalid(f"would be empty: there are no files in {root}")
    manifest = Manifest(files=files)
    if len(manifest.content()) > MOST_BYTES:
        raise _invalid(f"would be larger than {MOST_BYTES} bytes; use fewer files")
    return manifest


def unlisted(root: Path, manifest: Manifest) -> list[str]:
    """Return the visible files below `root` that `manifest` does not pin."""
    listed = {file.path for file in manifest.files}
    found = {path.relative_to(root).as_posix() for path in _visible(root)}
    return sorted(found - listed)


def _visible(root: Path) -> list[Path]:
    relative = ((path, path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    return [
        path
        for path, below in relative
        if not any(part.startswith(".") for part in below.parts)
        and below != Path(WEIGHTS_MANIFEST_FILE)
    ]


def _described(root: Path, path: Path) -> File:
    name = path.relative_to(root).as_posix()
    if not path.resolve().is_relative_to(root.resolve()):
        raise WeightsError(Code.MANIFEST_INVALID, name, "is a link that leads out of the directory")
    try:
        return File(path=name, size=path.stat().st_size, sha256=sha256_of(path))
    except ValidationError as error:
        message = str(error.errors(include_url=False)[0]["msg"])
        raise WeightsError(Code.MANIFEST_INVALID, name, message) from None


def _refuse_clashes(manifest: Manifest) -> None:
    seen: set[str] = set()
    for file in manifest.files:
        if file.path in seen:
            raise _invalid(f"lists {file.path} twice")
        seen.add(file.path)
    for file in manifest.files:
        for parent in PurePosixPath(file.path).parents:
            if str(parent) in seen:
                raise _invalid(f"lists {parent} as a file and as a directory")


def _invalid(message: str) -> WeightsError:
    return WeightsError(Code.MANIFEST_INVALID, WEIGHTS_MANIFEST_FILE, message)
