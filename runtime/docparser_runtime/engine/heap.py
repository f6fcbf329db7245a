"""Memory that is not needed any more, found and given back to the kernel."""

import ctypes
import gc
from typing import Final

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
"""Names of `mallopt`'s parameters in glibc's malloc.h."""
_LARGE_BYTES: Final = 1 << 20

# Only glibc keeps much of what is freed, and only glibc has the first of these functions.
_C: Final = ctypes.CDLL(None)
_IS_GLIBC: Final = hasattr(_C, "malloc_trim")


def keep_little() -> None:
    """Have what is freed given back; to be called at the start, before there are threads.

    By itself glibc takes ever larger blocks from its arenas once a large one was freed. And it
    makes an arena for each of many threads, which all grow: what lies free at the end of one other
    than the first stays there, whatever `give_back` does. Threads that share the first seldom
    wait for each other, since most of them hold the interpreter's lock while they allocate.
    """
    if _IS_GLIBC:
        for parameter in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD):
            _C.mallopt(parameter, _LARGE_BYTES)
        _C.mallopt(_M_ARENA_MAX, 1)


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
