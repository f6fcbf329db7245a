"""Triton kernels on a machine without a GPU: its interpreter, made to run with today's numpy.

Import before any module with kernels: Triton decides when it reads a kernel.
"""

import os
from typing import Any

os.environ["TRITON_INTERPRET"] = "1"

from triton.runtime import interpreter

_TO_PATCH = interpreter._patch_lang_tensor


def _with_scalars(tensor: Any, scope: Any) -> None:
    # Its scalars are arrays of one element, which numpy 2.4 no longer takes for a number.
    _TO_PATCH(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))


interpreter._patch_lang_tensor = _with_scalars
