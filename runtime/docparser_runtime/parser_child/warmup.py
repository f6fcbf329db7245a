"""Uses every decoder once, because libraries load parts of themselves on first use.

After confinement no file can be opened, so nothing can be loaded any more.
"""

import codecs
import contextlib
import io

import pikepdf
import pypdfium2  # type: ignore[import-untyped]
from PIL import Image

from docparser_runtime.outputs import searchable_warmup
from docparser_runtime.parser_child import seccomp
from docparser_runtime.parser_child.images import FORMATS, ImagePages
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pdf import PdfPages, rebuilt

_LIMITS = Limits(memory_bytes=0, page_cpu_seconds=0, pages=1, page_pixels=10_000, dpi=72)
_CODECS = ("ascii", "latin-1", "utf-8", "utf-16", "utf-16-be", "utf-16-le")


def warm_up() -> None:
    """Draw a small page of every kind, rebuild one PDF file, and make some searchable."""
    for name in _CODECS:
        codecs.lookup(name)
    with contextlib.suppress(OSError):
        # On a machine without a table each parser says so itself.
        seccomp.own_program()
    for media_type, name in FORMATS.items():
        buffer = io.BytesIO()
        Image.new("RGB", (8, 8)).save(buffer, name)
        ImagePages(buffer.getvalue(), media_type, _LIMITS).picture(0)
    document = pypdfium2.PdfDocument.new()
    document.new_page(8, 8)
    buffer = io.BytesIO()
    document.save(buffer)
    PdfPages(rebuilt(_encrypted(buffer), "x"), None, _LIMITS).picture(0)
    searchable_warmup.warm_up()


def _encrypted(content: io.BytesIO) -> bytes:
    # With its first encrypted file qpdf opens the kernel's source of random numbers.
    output = io.BytesIO()
    with pikepdf.open(content) as pdf:
        pdf.save(output, encryption=pikepdf.Encryption(user="x", owner="x"))
    return output.getvalue()
