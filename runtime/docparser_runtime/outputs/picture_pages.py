"""Pages of a new PDF that show pictures, in their own size and at their own quality.

The pictures are those of an image file, or of pages that cannot be had otherwise.
"""

import io
import struct
from collections.abc import Iterator, Sequence

import pikepdf
from pikepdf import Dictionary, Name
from PIL import Image, ImageChops

from docparser_runtime.outputs.page_space import PageSpace
from docparser_runtime.outputs.page_text import PageText, Passage
from docparser_runtime.parser_child.images import FORMATS
from docparser_runtime.parser_child.pages import Picture

USUAL_DPI = 150
"""Resolution of pictures that do not say theirs, or not believably."""
QUALITY = 92
"""Of pictures that have lost something before, as JPEG has it."""
_BELIEVABLE_DPI = (50, 2400)
_LONGEST_PAGE = 14_400
"""Points of the longest side that every reader accepts."""
_POINTS_PER_INCH = 72
_JPEG = "image/jpeg"
_LOSSY = frozenset({_JPEG, "image/webp", "image/jp2", "image/avif", "image/heic"})
_SPACES = {"1": Name.DeviceGray, "L": Name.DeviceGray, "RGB": Name.DeviceRGB}
_ORIENTATION = 0x0112
_UPRIGHT = 1
_SIGNATURE_LENGTH = 8
_LENGTH_TYPE_AND_SUM = 12


class PictureFile:
    """A PDF that grows by one page for each picture of a document."""

    def __init__(self, content: bytes, media_type: str) -> None:
        self.pdf = pikepdf.new()
        self._content = content
        self._media_type = media_type
        kind = FORMATS.get(media_type)
        self._file = Image.open(io.BytesIO(content), formats=[kind]) if kind else None

    def page(self, index: int, picture: Picture) -> tuple[Dictionary, PageSpace]:
        """Return a new page that shows `picture`, which is number `index` of the file."""
        scale = self._points_per_pixel(index, picture)
        width, height = picture.width * scale, picture.height * scale
        page = self.pdf.add_blank_page(page_size=(width, height)).obj
        page["/Resources"] = Dictionary(XObject=Dictionary(Picture=self._image(picture)))
        drawing = f"q {width:.4f} 0 0 {height:.4f} 0 0 cm /Picture Do Q"
        page["/Contents"] = self.pdf.make_stream(drawing.encode())
        return page, PageSpace((0, 0, width, height), 0)

    def unsaid(self, index: int, text: PageText, space: PageSpace) -> tuple[Passage, ...]:  # noqa: ARG002
        """Return all passages of `text`: a picture says nothing itself."""
        return text.passages

    def _points_per_pixel(self, index: int, picture: Picture) -> float:
        named = picture.dpi or 0.0
        if self._file is not None:
            self._file.seek(index)
            dpi = self._file.info.get("dpi")
            named = float(dpi[0]) if isinstance(dpi, Sequence) and dpi else 0.0
        low, high = _BELIEVABLE_DPI
        scale = _POINTS_PER_INCH / (named if low <= named <= high else USUAL_DPI)
        return min(scale, _LONGEST_PAGE / max(picture.width, picture.height))

    def _image(self, picture: Picture) -> pikepdf.Object:
        size = (picture.width, picture.height)
        mode = self._mode_as_it_came(size)
        if mode is not None:
            return self._stream(self._content, size, mode, Filter=Name.DCTDecode)
        image = _smallest(Image.frombytes("RGB", size, bytes(picture.rgb)))
        if self._media_type in _LOSSY and image.mode != "1":
            output = io.BytesIO()
            image.save(output, "JPEG", quality=QUALITY)
            return self._stream(output.getvalue(), size, image.mode, Filter=Name.DCTDecode)
        return self._lossless(image)

    def _mode_as_it_came(self, size: tuple[int, int]) -> str | None:
        """Return the mode of a file that can stand in a PDF as it is; None if it cannot."""
        file = self._file
        if file is None or self._media_type != _JPEG or file.size != size:
            return None
        is_upright = file.getexif().get(_ORIENTATION, _UPRIGHT) == _UPRIGHT
        return file.mode if is_upright and file.mode in _SPACES else None

    def _lossless(self, image: Image.Image) -> pikepdf.Object:
        png = io.BytesIO()
        image.save(png, "PNG")
        parameters = Dictionary(
            Predictor=15,
            Colors=len(image.getbands()),
            BitsPerComponent=_bits(image.mode),
            Columns=image.width,
        )
        data = b"".join(_compressed(png.getvalue()))
        return self._stream(
            data, image.size, image.mode, Filter=Name.FlateDecode, DecodeParms=parameters
        )

    def _stream(
        self, data: bytes, size: tuple[int, int], mode: str, **entries: object
    ) -> pikepdf.Object:
        return self.pdf.make_stream(
            data,
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=size[0],
            Height=size[1],
            ColorSpace=_SPACES[mode],
            BitsPerComponent=_bits(mode),
            **entries,
        )


def _bits(mode: str) -> int:
    return 1 if mode == "1" else 8


def _smallest(rgb: Image.Image) -> Image.Image:
    """Return the same picture without colours that it does not have."""
    red, green, blue = rgb.split()
    if ImageChops.difference(red, green).getbbox() or ImageChops.difference(red, blue).getbbox():
        return rgb
    colors = red.getcolors(2)
    if colors and {level for _, level in colors} <= {0, 255}:
        return red.convert("1", dither=Image.Dither.NONE)
    return red


def _compressed(png: bytes) -> Iterator[bytes]:
    """Yield the pixels of a PNG file as they are compressed in it: a PDF takes them so."""
    at = _SIGNATURE_LENGTH
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IDAT":
            yield png[at + 8 : at + 8 + length]
        at += length + _LENGTH_TYPE_AND_SUM
