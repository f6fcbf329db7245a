"""How much memory the GPUs have on which pods may be placed. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from docparser_operator.capacity import Capacity, admits, allocatable, devices
from docparser_operator.kinds import Manifest

_MEBIBYTE: Final = 1024**2
_SLICE: Final = re.compile(r"/mig-[0-9]+g\.(?P<gigabytes>[0-9]+)gb")
"""Name of a slice of a GPU, as NVIDIA's device plugin offers it."""


@dataclass(frozen=True)
class Device:
    """A GPU, or a slice of one.

    Attributes:
        node: where it is; None where spec tells its memory.
        memory_bytes: all of its memory.
    """

    node: str | None
    memory_bytes: int


def smallest_device(template: Manifest, capacity: Capacity) -> Device | None:
    """Return the smallest device that a pod of `template` may get; None where no node tells it."""
    found = list(_devices(template["spec"], capacity))
    return min(found, key=lambda device: (device.memory_bytes, device.node), default=None)


def _devices(spec: Manifest, capacity: Capacity) -> Iterator[Device]:
    wanted = [name for name, count in devices(spec).items() if count]
    for node in capacity.nodes:
        for name in wanted:
            memory = _memory_bytes(node["metadata"].get("labels", {}), name)
            if memory and allocatable(node, name) and admits(node, spec):
                yield Device(node["metadata"]["name"], memory)


def _memory_bytes(labels: dict[str, str], resource: str) -> int | None:
    """Return what GPU feature discovery says of a resource, in MiB, or else the slice's name.

    Its labels: https://github.com/NVIDIA/k8s-device-plugin/tree/main/docs/gpu-feature-discovery
    """
    told = labels.get(f"{resource}.memory", "")
    if told.isdecimal():
        return int(told) * _MEBIBYTE
    # Slices are rounded up to whole gigabytes in their names, so that a tenth may be missing.
    match = _SLICE.search(resource)
    return int(match["gigabytes"]) * 10**9 * 9 // 10 if match else None
