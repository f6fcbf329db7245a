"""Whether files are what the manifest says."""

import stat
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from docparser_runtime.engine.cpus import usable_cpus
from docparser_runtime.weights.digests import Counting, ignore, sha256_of
from docparser_runtime.weights.errors import Code, WeightsError, storage
from docparser_runtime.weights.manifest import File, Manifest


class Entry(BaseModel):
    """A verified file, with what shows quickly that it is still the same.

    Attributes:
        path: place below the directory of the weights.
        size: in bytes.
        modified_nanoseconds: time of its last change, since 1970.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    size: int
    modified_nanoseconds: int


def entry_of(root: Path, path: str) -> Entry:
    """Return what the file system says about the file.

    Raises:
        WeightsError: it is not there, or it is not a file below `root`.
    """
    place = root / path
    try:
        real = place.resolve(strict=True)
        found = real.stat()
    except FileNotFoundError:
        raise WeightsError(Code.FILE_MISSING, path, f"is not in {root}") from None
    except (OSError, RuntimeError) as error:
        raise WeightsError(Code.FILE_MISSING, path, f"cannot be looked at: {error}") from None
    if not real.is_relative_to(root.resolve()) or not stat.S_ISREG(found.st_mode):
        raise WeightsError(Code.FILE_MISSING, path, f"is not a file below {root}")
    return Entry(path=path, size=found.st_size, modified_nanoseconds=found.st_mtime_ns)


def verified_file(root: Path, file: File, count: Callable[[int], None] = ignore) -> Entry:
    """Return the entry of `file`, once all its bytes were read; tell `count` how many.

    Raises:
        WeightsError: it is not what the manifest says.
    """
    # Looked at first: a change while it is read then shows as a later time.
    entry = entry_of(root, file.path)
    refuse_size(file, entry.size)
    with storage(file.path):
        found = sha256_of(root / file.path, count)
    if found != file.sha256:
        raise WeightsError(
            Code.DIGEST_MISMATCH,
            file.path,
            f"has SHA-256 {found}, but the manifest says {file.sha256}",
        )
    return entry


def refuse_size(file: File, found: int) -> None:
    """Refuse a file of `found` bytes if that is not its size.

    Raises:
        WeightsError: it is not.
    """
    if found != file.size:
        code = Code.FILE_SHORT if found < file.size else Code.DIGEST_MISMATCH
        raise WeightsError(code, file.path, f"has {found} bytes, but the manifest says {file.size}")


def verified(
    root: Path, manifest: Manifest, count: Callable[[int], None] = ignore
) -> tuple[Entry, ...]:
    """Return the entries of all files, read by as many threads as there are CPUs.

    Raises:
        WeightsError: the first file that is not what the manifest says.
    """
    # Whatever the file system alone can tell is told before hours of reading.
    for file in manifest.files:
        refuse_size(file, entry_of(root, file.path).size)
    counting = Counting(count)
    with ThreadPoolExecutor(usable_cpus()) as pool:
        work = [pool.submit(verified_file, root, file, counting) for file in manifest.files]
        done, rest = wait(work, return_when=FIRST_EXCEPTION)
        if rest:
            counting.stop()
        for future in rest:
            future.cancel()
    for future in done:
        # The reason itself, not what ended because of it.
        if (error := future.exception()) is not None:
            raise error
    return tuple(future.result() for future in work)
