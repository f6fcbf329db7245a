# mypy: disable-error-code="import-untyped"
"""Triton's interpreter, which runs kernels without a GPU, made to run with today's numpy."""

from typing import Any

from triton.runtime import interpreter

_TO_PATCH = interpreter._patch_lang_tensor


def _with_scalars(tensor: Any, scope: Any) -> None:
    # Its scalars are arrays of one element, which numpy 2.4 no longer takes for a number.
    _TO_PATCH(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))


interpreter._patch_lang_tensor = _with_scalars
