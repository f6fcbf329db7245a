"""Memory that is not needed any more, found and given back to the kernel."""

import ctypes
import gc
from typing import Final

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
"""Names of `mallopt`'s parameters in glibc's malloc.h."""
_LARGE_BYTES: Final = 1 << 20

# Only glibc keeps much of what is freed, and only glibc has the first of these functions.
_C: Final = ctypes.CDLL(None)
_IS_GLIBC: Final = hasattr(_C, "malloc_trim")


def keep_little() -> None:
    """Have large blocks given back when they are freed; to be called at the start.

    By itself glibc takes ever larger blocks from its arenas once a large one was freed, and what
    lies free at the end of an arena other than the first stays there, whatever `give_back` does.
    """
    if _IS_GLIBC:
        for parameter in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD):
            _C.mallopt(parameter, _LARGE_BYTES)


def settle() -> None:
    """Leave what the start has made out of all collections to come: it stays for good.

    Python looks for cycles in all objects only once a quarter of them is new. What is left out
    does not count, so that garbage is found after thousands of objects, not after a hundred
    thousand, and in milliseconds.
    """
    gc.collect()
    gc.freeze()


def collect() -> None:
    """Free cycles, and return freed memory to the kernel."""
    gc.collect()
    give_back()


def give_back() -> None:
    """Return freed memory to the kernel: a page takes half a gigabyte for a second."""
    if _IS_GLIBC:
        _C.malloc_trim(0)
