"""Makes a searchable PDF once, because libraries load parts of themselves on first use.

After confinement no file can be opened, so nothing can be loaded any more.
"""

import io

import pikepdf
from PIL import Image

from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.outputs.searchable_pdf import searchable_pdf
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Picture
from docparser_runtime.parser_child.pdf import PdfPages

_SIZE = 64
_LIMITS = Limits(memory_bytes=0, page_cpu_seconds=0, pages=1, page_pixels=10_000, dpi=72)
_PASSWORD = "warm"  # noqa: S105 - protects an empty page


class _WhitePage:
    """A document of one white picture."""

    count = 1
    repaired = False

    def picture(self, index: int) -> Picture:  # noqa: ARG002
        """Return the page."""
        return Picture(_SIZE, _SIZE, memoryview(b"\xff" * 3 * _SIZE * _SIZE), None)


def warm_up() -> None:
    """Write a small PDF of every kind."""
    text = PageText(_SIZE, _SIZE, (Passage("warm", (0, 0, _SIZE, _SIZE)),))
    for media_type, name in (("image/png", "PNG"), ("image/jpeg", "JPEG"), ("image/webp", "WEBP")):
        buffer = io.BytesIO()
        Image.new("RGB", (_SIZE, _SIZE)).save(buffer, name)
        searchable_pdf(buffer.getvalue(), media_type, None, _WhitePage(), [text])
    for encryption in (None, pikepdf.Encryption(owner=_PASSWORD, user=_PASSWORD)):
        pdf = pikepdf.new()
        pdf.add_blank_page(page_size=(_SIZE, _SIZE))
        buffer = io.BytesIO()
        pdf.save(buffer, encryption=encryption)
        content, password = buffer.getvalue(), encryption and _PASSWORD
        pages = PdfPages(content, password or None, _LIMITS)
        searchable_pdf(content, "application/pdf", password or None, pages, [text])
