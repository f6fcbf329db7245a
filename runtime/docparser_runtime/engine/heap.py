"""Memory that was freed, given back to the kernel."""

import ctypes
from collections.abc import Callable


def _trimmer() -> Callable[[int], int] | None:
    # Only glibc keeps much of what is freed, and only glibc has this function.
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


_trim = _trimmer()


def give_back() -> None:
    """Return freed memory to the kernel: a page takes half a gigabyte for a second."""
    if _trim is not None:
        _trim(0)
