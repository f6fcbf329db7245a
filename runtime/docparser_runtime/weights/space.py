"""Whether a file system has room for what is still to come."""

import os
from decimal import Decimal
from pathlib import Path
from typing import Final

from docparser_runtime.weights.errors import Code, WeightsError

MARGIN_BYTES: Final = 16 * 1024**2
"""Room that is left for manifests, markers and the file system's own records."""
_UNITS: Final = {
    **{unit: 1000**power for power, unit in enumerate(("", "k", "M", "G", "T", "P", "E"))},
    **{unit: 1024**power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
    "m": Decimal("0.001"),
}


def free_bytes(directory: Path) -> int:
    """Return the bytes that an ordinary user may still write to the file system."""
    found = os.statvfs(directory)
    return found.f_bavail * found.f_frsize


def refuse_if_full(missing_bytes: int, free: int) -> None:
    """Refuse to begin what cannot end.

    Raises:
        WeightsError: there is no room.
    """
    needed = missing_bytes + MARGIN_BYTES
    if missing_bytes and needed > free:
        raise WeightsError(
            Code.DISK_FULL,
            "",
            f"the cache needs {needed} bytes more but has {free} bytes free; "
            "remove old versions or enlarge the volume",
        )


def refuse_if_over_limit(size: int, limit: str) -> None:
    """Refuse weights of `size` bytes that exceed spec.model.weights.cache.sizeLimit.

    The kubelet would evict the pod in the midst of the work.

    Raises:
        WeightsError: they do.
    """
    allowed = quantity_bytes(limit)
    if size + MARGIN_BYTES > allowed:
        raise WeightsError(
            Code.DISK_FULL,
            "",
            f"the weights need {size + MARGIN_BYTES} bytes but "
            f"spec.model.weights.cache.sizeLimit allows {allowed} bytes; raise it",
        )


def quantity_bytes(quantity: str) -> int:
    """Return the bytes that a Kubernetes quantity such as `4Gi` or `5e9` means."""
    unit = quantity.lstrip("0123456789.") if "e" not in quantity else ""
    return int(Decimal(quantity.removesuffix(unit)) * _UNITS[unit])
