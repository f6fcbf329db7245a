"""Fills tensors from safetensors files: checks all names and sizes first, then streams."""

import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from docparser_runtime.engine.base import WeightsInvalid
from docparser_runtime.engine.gpu.names import by_native_name
from docparser_runtime.engine.gpu.places import Piece, Places
from docparser_runtime.engine.gpu.weights import DecoderWeights

# How many names a message lists before it only counts.
_NAMED = 5
# One waits for pages of the file while another copies; more than this gains nothing.
_READERS = 4


@dataclass(frozen=True)
class LoadReport:
    """How a load went.

    Attributes:
        tensors: tensors read.
        bytes: bytes read.
        seconds: time that reading and copying took.
    """

    tensors: int
    bytes: int
    seconds: float

    @property
    def gigabytes_per_second(self) -> float:
        """Bandwidth from the files to the device."""
        return self.bytes / max(self.seconds, 1e-9) / 1e9


def read_config(directory: Path) -> dict[str, object]:
    """Return the `config.json` of `directory`.

    Raises:
        WeightsInvalid: it is missing or no JSON object.
    """
    try:
        config = json.loads((directory / "config.json").read_bytes())
    except (OSError, ValueError) as error:
        raise WeightsInvalid(f"config.json cannot be read: {type(error).__name__}") from error
    if not isinstance(config, dict):
        raise WeightsInvalid("config.json holds no object")
    return config


def tensor_files(directory: Path) -> dict[str, tuple[str, str]]:
    """Return, by native name, the name in the file and the file of each tensor in `directory`.

    Raises:
        WeightsInvalid: there is no safetensors file, one is damaged, or two hold the same tensor.
    """
    files: dict[str, str] = {}
    for path in sorted(directory.glob("*.safetensors")):
        names = _names_in(path)
        if twice := files.keys() & names:
            raise WeightsInvalid(f"two files hold the tensor {min(twice)}")
        files |= dict.fromkeys(names, path.name)
    if not files:
        raise WeightsInvalid("there is no safetensors file among the weights")
    return by_native_name(files)


def _names_in(path: Path) -> list[str]:
    try:
        with safe_open(path, "pt") as file:
            return list(file.keys())
    except (OSError, SafetensorError) as error:
        raise WeightsInvalid(f"{path.name} is damaged: {error}") from error


def decoder_tensors(weights: DecoderWeights) -> dict[str, Tensor]:
    """Return the tensors of `weights` by their names."""
    return {field.name: getattr(weights, field.name) for field in fields(weights)}


def fill(
    directory: Path,
    files: Mapping[str, tuple[str, str]],
    places: Places,
    tensors: Mapping[str, Tensor],
) -> LoadReport:
    """Copy every tensor of the files to its place.

    Args:
        directory: where the files lie.
        files: what `tensor_files` found there.
        places: where each goes; neither more nor fewer tensors may be there.
        tensors: what the places speak of.

    Raises:
        WeightsInvalid: a tensor is missing, unknown or of another size; names it. Nothing was
            copied then.
    """
    _refuse(sorted(places.keys() - files.keys()), "missing from the weights")
    _refuse(sorted(files.keys() - places.keys()), "unknown to this engine")
    by_file: dict[str, list[str]] = {}
    for native in places:
        by_file.setdefault(files[native][1], []).append(native)
    for file, natives in by_file.items():
        _check_sizes(directory / file, natives, files, places, tensors)
    begin = time.perf_counter()
    with ThreadPoolExecutor(_READERS) as readers:
        reads = [
            readers.submit(_copy, directory / file, part, files, places, tensors)
            for file, natives in by_file.items()
            for part in _parts(sorted(natives, key=lambda native: files[native][0]))
        ]
        read = sum(job.result() for job in reads)
    _wait_for_copies(tensors)
    return LoadReport(len(places), read, time.perf_counter() - begin)


def _parts(names: list[str]) -> list[list[str]]:
    """Return runs of neighbours, so that the disk reads ahead for each reader."""
    length = -(-len(names) // _READERS)
    return [names[first : first + length] for first in range(0, len(names), length)]


def _refuse(names: list[str], why: str) -> None:
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        raise WeightsInvalid(f"tensors {why}: {', '.join(names[:_NAMED])}{more}")


def _check_sizes(
    path: Path,
    natives: list[str],
    files: Mapping[str, tuple[str, str]],
    places: Places,
    tensors: Mapping[str, Tensor],
) -> None:
    with safe_open(path, "pt") as file:
        for native in natives:
            name = files[native][0]
            size = tuple(file.get_slice(name).get_shape())
            pieces = places[native]
            rest = tuple(_part(tensors, pieces[0]).shape[1:])
            expected = (sum(piece.rows for piece in pieces), *rest)
            if size != expected:
                raise WeightsInvalid(f"tensor {name} has size {size}, not {expected}")


def _copy(
    path: Path,
    natives: list[str],
    files: Mapping[str, tuple[str, str]],
    places: Places,
    tensors: Mapping[str, Tensor],
) -> int:
    """Copy tensors of one file and return the bytes read."""
    read = 0
    with safe_open(path, "pt") as file:
        for native in natives:
            source: Tensor = file.get_tensor(files[native][0])
            read += source.numel() * source.element_size()
            offset = 0
            for piece in places[native]:
                part = _part(tensors, piece).narrow(0, piece.start, piece.rows)
                part.copy_(source.narrow(0, offset, piece.rows))
                offset += piece.rows
    return read


def _part(tensors: Mapping[str, Tensor], piece: Piece) -> Tensor:
    part = tensors[piece.tensor]
    for position in piece.index:
        part = part[position]
    return part


def _wait_for_copies(tensors: Mapping[str, Tensor]) -> None:
    # Reading one element back waits for all copies before it.
    for tensor in list(tensors.values())[-1:]:
        tensor.flatten()[:1].cpu()
