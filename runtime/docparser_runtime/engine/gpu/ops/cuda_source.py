# mypy: disable-error-code="import-untyped"
"""CUDA kernels, compiled when they are first needed with the compiler that torch brings."""

import ctypes
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from cuda.bindings import driver, nvrtc

_HERE = Path(__file__).parent


class KernelError(Exception):
    """A kernel could not be compiled or started; says what the compiler or the driver says."""


def compiled(
    files: tuple[str, ...], macros: Mapping[str, object], capability: tuple[int, int]
) -> bytes:
    """Return the machine code of `files` of this folder, one after another, as one source.

    Raises:
        KernelError: the compiler refuses it.
    """
    return _compiled(files, tuple(sorted((k, str(v)) for k, v in macros.items())), capability)


@lru_cache
def _compiled(
    files: tuple[str, ...], macros: tuple[tuple[str, str], ...], capability: tuple[int, int]
) -> bytes:
    source = "\n".join((_HERE / name).read_text() for name in files)
    program = _checked(nvrtc.nvrtcCreateProgram(source.encode(), files[0].encode(), 0, [], []))
    options = [f"--gpu-architecture=sm_{capability[0]}{capability[1]}", "--std=c++17"]
    options += [f"-D{name}={value}" for name, value in macros]
    result = nvrtc.nvrtcCompileProgram(program, len(options), [o.encode() for o in options])[0]
    if result != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = bytearray(_checked(nvrtc.nvrtcGetProgramLogSize(program)))
        _checked(nvrtc.nvrtcGetProgramLog(program, log))
        raise KernelError(log.decode(errors="replace"))
    code = bytearray(_checked(nvrtc.nvrtcGetCUBINSize(program)))
    _checked(nvrtc.nvrtcGetCUBIN(program, code))
    return bytes(code)


class CooperativeKernel:
    """A kernel all blocks of which run at once, so that they may wait for one another."""

    def __init__(self, code: bytes, name: str) -> None:
        torch.cuda.current_stream()  # the driver needs a context
        self._module = _checked(driver.cuModuleLoadData(code))
        self._function = _checked(driver.cuModuleGetFunction(self._module, name.encode()))

    def attribute(self, name: str) -> int:
        """Return an attribute of the driver's, such as `NUM_REGS`."""
        which = getattr(driver.CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
        return int(_checked(driver.cuFuncGetAttribute(which, self._function)))

    def __call__(self, blocks: int, threads: int, argument: ctypes.Structure) -> None:
        """Start it on the current stream of torch, with one argument that is passed by value."""
        stream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
        _checked(
            driver.cuLaunchCooperativeKernel(
                self._function, blocks, 1, 1, threads, 1, 1, 0, stream, ctypes.addressof(pointers)
            )
        )


def _checked(result: tuple[Any, ...]) -> Any:
    """Return what a call of the driver or the compiler gives besides its code."""
    if int(result[0]) != 0:
        raise KernelError(f"{result[0]!r}")
    return result[1] if len(result) == 2 else result[1:]  # noqa: PLR2004 - code and value
