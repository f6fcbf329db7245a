"""PDF pages, drawn with PDFium; files that it refuses are rebuilt with qpdf and tried again."""

import contextlib
import io
import math

import pikepdf
import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import raw

from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.limits import LONGEST_SIDE, Limits
from docparser_runtime.parser_child.pages import Picture
from docparser_runtime.parser_child.user_units import user_units

POINTS_PER_INCH = 72
PAGES_PER_OPENING = 64
"""PDFium keeps fonts and images of drawn pages; opening anew every so often bounds that."""
_NO_SECURITY = -1
"""What PDFium calls the security of a file that is not encrypted."""


class PdfPages:
    """An open PDF file.

    Attributes:
        encrypted: whether it is encrypted, if only with an empty password.
    """

    def __init__(self, content: bytes, password: str | None, limits: Limits) -> None:
        self._password = password
        self._limits = limits
        self._drawn = 0
        try:
            self._content, self._document = content, _opened(content, password)
            # PDFium mends a broken table of contents without a word.
            self.repaired = not raw.FPDF_DocumentHasValidCrossReferenceTable(self._document)
            self.encrypted = raw.FPDF_GetSecurityHandlerRevision(self._document) != _NO_SECURITY
        except Refused as refused:
            if refused.failure not in (Failure.CORRUPT, Failure.NO_PAGES):
                raise
            self._content = rebuilt(content, password)
            self._document, self.repaired = _opened(self._content, None), True
            self.encrypted = _is_encrypted(content, password)
        self.count = len(self._document)
        self._is_rebuilt = self._content is not content
        self._units = user_units(self._content, None if self._is_rebuilt else usable(password))

    def picture(self, index: int) -> Picture:
        """Return page `index`, drawn as its /Rotate says, with annotations and form fields."""
        if self._drawn == PAGES_PER_OPENING:
            self._document.close()
            self._document, self._drawn = _opened(self._content, self._password), 0
        self._drawn += 1
        try:
            page = _visible(self._document, index)
            unit = self._units.get(index, 1.0)
            width, height = page.get_width() * unit, page.get_height() * unit
            scale = drawing_scale(width, height, self._limits)
            bitmap = page.render(scale=scale * unit, rev_byteorder=True)
            page.close()
        except pypdfium2.PdfiumError:
            raise Refused(Failure.CORRUPT) from None
        rgb = memoryview(bitmap.buffer).cast("B")
        return Picture(bitmap.width, bitmap.height, rgb, scale * POINTS_PER_INCH)

    def decrypted(self) -> bytes:
        """Return the file without encryption.

        Raises:
            Refused: it is damaged in a way that does not keep its pages from being drawn.
        """
        return self._content if self._is_rebuilt else rebuilt(self._content, self._password)


def _visible(document: pypdfium2.PdfDocument, index: int) -> pypdfium2.PdfPage:
    """Return page `index`, which is shown whole if what its crop box shows lies outside of it."""
    page = document[index]
    if page.get_cropbox(fallback_ok=False) is None or min(page.get_size()) > 0:
        return page
    page.set_cropbox(*page.get_mediabox())
    page.close()
    return document[index]


def drawing_scale(width: float, height: float, limits: Limits) -> float:
    """Return the pixels per point at which a page of `width` by `height` points is drawn.

    Raises:
        Refused: the page has no area, or is so long and thin that nothing of it would be left.
    """
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise Refused(Failure.PAGE_INVALID)
    # Of a page that is longer than the longest side, a strip, less detail is drawn.
    scale = min(
        limits.dpi / POINTS_PER_INCH,
        math.sqrt(limits.page_pixels / (width * height)),
        LONGEST_SIDE / max(width, height),
    )
    # The renderer rounds both sides up, which can exceed the limit by a row and a column.
    while math.ceil(width * scale) * math.ceil(height * scale) > limits.page_pixels:
        scale *= 0.999
    if min(width, height) * scale < 1:
        raise Refused(Failure.PAGE_INVALID)
    return scale


def rebuilt(content: bytes, password: str | None) -> bytes:
    """Return the file with its structure written anew, and without encryption.

    Raises:
        Refused: there is nothing to save.
    """
    output = io.BytesIO()
    try:
        with pikepdf.open(io.BytesIO(content), password=usable(password) or "") as pdf:
            if not len(pdf.pages):
                raise Refused(Failure.NO_PAGES)
            pdf.save(output, encryption=False, deterministic_id=True)
    except pikepdf.PasswordError:
        raise Refused(_failure(raw.FPDF_ERR_PASSWORD, password)) from None
    except (pikepdf.PdfError, ValueError, TypeError, RuntimeError):
        raise Refused(Failure.CORRUPT) from None
    return output.getvalue()


def _is_encrypted(content: bytes, password: str | None) -> bool:
    """Return whether a file that can be rebuilt is encrypted."""
    with pikepdf.open(io.BytesIO(content), password=usable(password) or "") as pdf:
        return pdf.is_encrypted


def _opened(content: bytes, password: str | None) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(content, password=usable(password))
    except pypdfium2.PdfiumError as error:
        raise Refused(_failure(error.err_code, password)) from None
    # A broken form is no reason to withhold the page below it.
    with contextlib.suppress(pypdfium2.PdfiumError):
        document.init_forms()
    return document


def usable(password: str | None) -> str | None:
    """Return `password`, or None where it can open nothing but would confuse a library."""
    # In C a text ends at its first NUL, so a wrong password could pass for its beginning.
    if password is None or "\0" in password:
        return None
    try:
        password.encode()
    except UnicodeEncodeError:
        return None
    return password


def _failure(code: int | None, password: str | None) -> Failure:
    if code == raw.FPDF_ERR_PASSWORD:
        return Failure.PASSWORD_INVALID if password else Failure.PASSWORD_REQUIRED
    if code == raw.FPDF_ERR_SECURITY:
        return Failure.ENCRYPTION_UNKNOWN
    if code == raw.FPDF_ERR_SUCCESS:
        return Failure.NO_PAGES
    return Failure.CORRUPT
