"""A page whose text is known, to see whether an engine reads at all."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from docparser_runtime.engine.base import PageImage

TEXT = "Quick foxes jump over 1234 lazy dogs."
_SIZE = (640, 200)
_FONT_PIXELS = 28


def page_with_text() -> PageImage:
    """Return a small page on which `TEXT` stands in one line."""
    page = Image.new("RGB", _SIZE, "white")
    # Pillow carries this font inside: no font need be installed.
    font = ImageFont.load_default(_FONT_PIXELS)
    ImageDraw.Draw(page).text((40, 80), TEXT, fill="black", font=font)
    return PageImage(0, np.asarray(page))
