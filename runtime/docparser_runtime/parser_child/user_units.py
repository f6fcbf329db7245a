"""The sizes of the units in which PDF pages are measured; PDFium takes all of them for points."""

import io
import math

import pikepdf

_NAME = b"/UserUnit"
_HIDDEN = b"/ObjStm"
"""Mark of files in which the entries of pages may stand compressed."""


def user_units(content: bytes, password: str | None) -> dict[int, float]:
    """Return by index of the page how many points its unit has, of those for which it is not one.

    A file that only PDFium can read has none: such files come from no writer of large sheets.
    """
    if _NAME not in content and _HIDDEN not in content:
        return {}
    try:
        with pikepdf.open(io.BytesIO(content), password=password or "") as pdf:
            units = {index: _unit(page) for index, page in enumerate(pdf.pages)}
    except (pikepdf.PdfError, ValueError, TypeError, RuntimeError):
        return {}
    return {index: unit for index, unit in units.items() if unit != 1}


def _unit(page: pikepdf.Page) -> float:
    try:
        unit = float(page.obj.get(_NAME.decode(), 1))
    except (TypeError, ValueError, ArithmeticError):
        return 1.0
    return unit if 0 < unit < math.inf else 1.0
