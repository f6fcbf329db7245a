"""PDF pages, drawn with PDFium; files that it refuses are rebuilt with qpdf and tried again."""

import io
import math

import pikepdf
import pypdfium2
from pypdfium2 import raw

from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Picture

POINTS_PER_INCH = 72
LONGEST_SIDE = 20_000
"""Most pixels of a side; no reader can use more, and sums of sides stay far from overflow."""
PAGES_PER_OPENING = 64
"""PDFium keeps fonts and images of drawn pages; opening anew every so often bounds that."""


class PdfPages:
    """An open PDF file."""

    def __init__(self, content: bytes, password: str | None, limits: Limits) -> None:
        self._password = password
        self._limits = limits
        self._drawn = 0
        try:
            self._content, self._document = content, _opened(content, password)
            self.repaired = not raw.FPDF_DocumentHasValidCrossReferenceTable(self._document)
        except Refused as refused:
            if refused.failure not in (Failure.CORRUPT, Failure.NO_PAGES):
                raise
            self._content = rebuilt(content, password)
            self._document, self.repaired = _opened(self._content, password), True
        self.count = len(self._document)

    def picture(self, index: int) -> Picture:
        """Return page `index`, drawn as its /Rotate says, with annotations and form fields."""
        if self._drawn == PAGES_PER_OPENING:
            self._document.close()
            self._document, self._drawn = _opened(self._content, self._password), 0
        self._drawn += 1
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError:
            raise Refused(Failure.CORRUPT) from None
        try:
            scale = drawing_scale(page.get_width(), page.get_height(), self._limits)
            bitmap = page.render(scale=scale, rev_byteorder=True)
        finally:
            page.close()
        rgb = memoryview(bitmap.buffer).cast("B")
        return Picture(bitmap.width, bitmap.height, rgb, scale * POINTS_PER_INCH)


def drawing_scale(width: float, height: float, limits: Limits) -> float:
    """Return the pixels per point at which a page of `width` by `height` points is drawn.

    Raises:
        Refused: the page has no area, or is so long and thin that nothing of it would be left.
    """
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise Refused(Failure.PAGE_INVALID)
    wanted = limits.dpi / POINTS_PER_INCH
    # One pixel is taken off, since the renderer rounds both sides up.
    by_area = math.sqrt(limits.page_pixels / (width * height))
    scale = min(wanted, by_area, (LONGEST_SIDE - 1) / max(width, height))
    while math.ceil(width * scale) * math.ceil(height * scale) > limits.page_pixels:
        scale *= 0.99
    if min(width, height) * scale < 1:
        raise Refused(Failure.PAGE_INVALID)
    return scale


def _opened(content: bytes, password: str | None) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(content, password=password)
        document.init_forms()
    except pypdfium2.PdfiumError as error:
        raise Refused(_failure(error.err_code, password)) from None
    return document


def _failure(code: int | None, password: str | None) -> Failure:
    if code == raw.FPDF_ERR_PASSWORD:
        return Failure.PASSWORD_INVALID if password else Failure.PASSWORD_REQUIRED
    if code == raw.FPDF_ERR_SECURITY:
        return Failure.ENCRYPTION_UNKNOWN
    if code == raw.FPDF_ERR_SUCCESS:
        return Failure.NO_PAGES
    return Failure.CORRUPT


def rebuilt(content: bytes, password: str | None) -> bytes:
    """Return the file with its structure written anew.

    Raises:
        Refused: there is nothing to save.
    """
    output = io.BytesIO()
    try:
        with pikepdf.open(io.BytesIO(content), password=password or "") as pdf:
            if not len(pdf.pages):
                raise Refused(Failure.NO_PAGES)
            pdf.save(output, deterministic_id=True)
    except pikepdf.PasswordError:
        raise Refused(_failure(raw.FPDF_ERR_PASSWORD, password)) from None
    except (pikepdf.PdfError, ValueError, TypeError, RuntimeError):
        raise Refused(Failure.CORRUPT) from None
    return output.getvalue()
