"""Images, decoded with Pillow; the frames of a TIFF file are its pages."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageOps

from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.limits import LONGEST_SIDE, Limits
from docparser_runtime.parser_child.pages import Picture

FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WEBP",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
}
_SIXTEEN_TO_EIGHT_BITS = 1 / 257
_WHITE = (255, 255, 255)


class ImagePages:
    """An open image file. Of an animation, only the first frame is a page."""

    repaired = False

    def __init__(self, content: bytes, media_type: str, limits: Limits) -> None:
        # Pillow warns at this size and refuses twice of it, before it decodes.
        Image.MAX_IMAGE_PIXELS = limits.page_pixels
        self._limits = limits
        with _refusals():
            self._image = Image.open(io.BytesIO(content), formats=[FORMATS[media_type]])
            _check_size(self._image, limits)
            self.count = _frame_count(self._image, limits) if media_type == "image/tiff" else 1

    def picture(self, index: int) -> Picture:
        """Return frame `index`, upright, on white."""
        with _refusals():
            self._image.seek(index)
            _check_size(self._image, self._limits)
            self._image.load()
            rgb = _rgb(ImageOps.exif_transpose(self._image))
            return Picture(rgb.width, rgb.height, memoryview(rgb.tobytes()), None)


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what a decoder raises into the failure that it stands for."""
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Image.DecompressionBombError:
        raise Refused(Failure.IMAGE_TOO_LARGE) from None
    except Exception:  # noqa: BLE001 - decoders raise whatever the damage leads to
        raise Refused(Failure.CORRUPT) from None


def _check_size(image: Image.Image, limits: Limits) -> None:
    if image.width * image.height > limits.page_pixels or max(image.size) > LONGEST_SIDE:
        raise Refused(Failure.IMAGE_TOO_LARGE)
    if min(image.size) < 1:
        raise Refused(Failure.PAGE_INVALID)


def _frame_count(image: Image.Image, limits: Limits) -> int:
    """Return the number of frames, found by walking them: none is decoded."""
    for count in range(1, limits.pages + 1):
        try:
            image.seek(count)
        except EOFError:
            return count
    raise Refused(Failure.TOO_MANY_PAGES)


def _rgb(image: Image.Image) -> Image.Image:
    """Return `image` as RGB with 8 bits; what is transparent becomes white."""
    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value * _SIXTEEN_TO_EIGHT_BITS).convert("L")
    elif image.mode == "F":
        image = _stretched(image)
    elif image.mode == "LAB":
        # Pillow converts it only by way of colour profiles; for reading, lightness will do.
        image = image.getchannel("L")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        page = Image.new("RGB", image.size, _WHITE)
        page.paste(image, mask=image.getchannel("A"))
        return page
    return image.convert("RGB")


def _stretched(image: Image.Image) -> Image.Image:
    """Return an image of real numbers as grey levels: its own range becomes black to white."""
    low, high = image.getextrema()
    if not isinstance(low, float) or not isinstance(high, float) or not high > low:
        return Image.new("L", image.size, 255)
    scale = 255 / (high - low)
    return image.point(lambda value: value * scale - low * scale).convert("L")
