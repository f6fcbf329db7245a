"""Images; the frames of a TIFF file and the pictures of a HEIF file are its pages."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from PIL import AvifImagePlugin, Image, ImageOps

from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.heif import HeifFrames
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.pages import Picture
from docparser_runtime.parser_child.pixels import rgb_image
from docparser_runtime.parser_child.sizes import check_size

FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WEBP",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
    "image/gif": "GIF",
    "image/jp2": "JPEG2000",
    "image/avif": "AVIF",
}
"""Media types that Pillow opens, and its names for them."""

# A confined process cannot start threads; by default there is one for each CPU.
AvifImagePlugin.DEFAULT_MAX_THREADS = 1


HEIC = "image/heic"


class Frames(Protocol):
    """The images of an open file.

    Attributes:
        count: number of those that are pages.
    """

    count: int

    def image(self, index: int) -> Image.Image:
        """Return image `index`, upright, in any mode.

        Raises:
            Refused: it is too large or damaged.
        """
        ...


class ImagePages:
    """An open image file. Of an animation, only the first frame is a page."""

    repaired = False

    def __init__(self, content: bytes, media_type: str, limits: Limits) -> None:
        with _refusals():
            self._frames: Frames = (
                HeifFrames(content, limits)
                if media_type == HEIC
                else _PillowFrames(content, media_type, limits)
            )
        self.count = self._frames.count

    def picture(self, index: int) -> Picture:
        """Return image `index`, upright, on white."""
        with _refusals():
            rgb = rgb_image(self._frames.image(index))
            return Picture(rgb.width, rgb.height, memoryview(rgb.tobytes()), None)


class _PillowFrames:
    """The frames of a file that Pillow opens."""

    def __init__(self, content: bytes, media_type: str, limits: Limits) -> None:
        # Pillow warns at this size and refuses twice of it, before it decodes.
        Image.MAX_IMAGE_PIXELS = limits.page_pixels
        self._limits = limits
        self._image = Image.open(io.BytesIO(content), formats=[FORMATS[media_type]])
        check_size(*self._image.size, limits)
        self.count = _frame_count(self._image, limits) if media_type == "image/tiff" else 1

    def image(self, index: int) -> Image.Image:
        """Return frame `index`, turned as its Exif data say."""
        self._image.seek(index)
        check_size(*self._image.size, self._limits)
        self._image.load()
        return ImageOps.exif_transpose(self._image)


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


def _frame_count(image: Image.Image, limits: Limits) -> int:
    """Return the number of frames, found by walking them: none is decoded."""
    for count in range(1, limits.pages + 1):
        try:
            image.seek(count)
        except EOFError:
            return count
    raise Refused(Failure.TOO_MANY_PAGES)
