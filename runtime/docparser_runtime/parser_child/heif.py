"""HEIF files with HEVC pictures, as phones write them."""

import ctypes
import math

from PIL import Image

from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.heif_library import Error, decoding_options, opened_library
from docparser_runtime.parser_child.limits import Limits
from docparser_runtime.parser_child.sizes import check_size

_RGB = 1
_LAYOUT_RGB = 10
_LAYOUT_RGBA = 11
_INTERLEAVED = 10
"""Numbers of the colour space, of two layouts of its bytes, and of the channel that holds them."""
_LIMIT_EXCEEDED = (6, 1000)
_OUT_OF_MEMORY = (6, 0)
"""Codes and subcodes of errors; other errors with the code 6 are about sizes that are no sizes."""
_UNKNOWN_COLORS = frozenset((133, 134, 135))
"""Subcodes of the only warnings that are no damage."""
_ROOM_FOR_PADDING = 2
"""Coded pictures are larger than what is seen of them, by less than this factor unless tiny."""
_SMALLEST_LIMIT = 256

# Opened and given its options here, before the process is confined.
_LIBRARY = opened_library()
_OPTIONS = decoding_options(_LIBRARY)


class HeifFrames:
    """The pictures of an open HEIF file. Of an image sequence, a film, there is only the cover.

    Attributes:
        count: number of pictures, without thumbnails, depths and other companions.
    """

    def __init__(self, content: bytes, limits: Limits) -> None:
        self._limits = limits
        # The library reads from these bytes whenever it decodes; the file lives as long as this
        # process, so nothing is freed.
        self._content = content
        self._context = _LIBRARY.heif_context_alloc()
        _LIBRARY.heif_context_set_max_decoding_threads(self._context, 0)
        side = max(_SMALLEST_LIMIT, math.isqrt(_ROOM_FOR_PADDING * limits.page_pixels))
        _LIBRARY.heif_context_set_maximum_image_size_limit(self._context, side)
        _check(
            _LIBRARY.heif_context_read_from_memory_without_copy(
                self._context, content, len(content), None
            )
        )
        self.count = _LIBRARY.heif_context_get_number_of_top_level_images(self._context)
        if self.count < 1:
            raise Refused(Failure.CORRUPT)
        if self.count > limits.pages:
            raise Refused(Failure.TOO_MANY_PAGES)
        self._ids = (ctypes.c_uint32 * self.count)()
        _LIBRARY.heif_context_get_list_of_top_level_image_IDs(self._context, self._ids, self.count)

    def image(self, index: int) -> Image.Image:
        """Return picture `index`, turned and cut as the file says.

        Raises:
            Refused: it is too large or damaged.
        """
        handle = ctypes.c_void_p()
        _check(
            _LIBRARY.heif_context_get_image_handle(
                self._context, self._ids[index], ctypes.byref(handle)
            )
        )
        try:
            # What is coded may be larger than what is cut out of it to be seen.
            for size in ("ispe_", ""):
                check_size(*_size(handle, size), self._limits)
            image = _decoded(handle)
        finally:
            _LIBRARY.heif_image_handle_release(handle)
        check_size(*image.size, self._limits)
        return image


def _size(handle: ctypes.c_void_p, prefix: str) -> tuple[int, int]:
    width = getattr(_LIBRARY, f"heif_image_handle_get_{prefix}width")
    height = getattr(_LIBRARY, f"heif_image_handle_get_{prefix}height")
    return width(handle), height(handle)


def _decoded(handle: ctypes.c_void_p) -> Image.Image:
    has_alpha = _LIBRARY.heif_image_handle_has_alpha_channel(handle)
    layout = _LAYOUT_RGBA if has_alpha else _LAYOUT_RGB
    decoded = ctypes.c_void_p()
    _check(_LIBRARY.heif_decode_image(handle, ctypes.byref(decoded), _RGB, layout, _OPTIONS))
    try:
        _check_warnings(decoded)
        width = _LIBRARY.heif_image_get_width(decoded, _INTERLEAVED)
        height = _LIBRARY.heif_image_get_height(decoded, _INTERLEAVED)
        stride = ctypes.c_size_t()
        plane = _LIBRARY.heif_image_get_plane_readonly2(decoded, _INTERLEAVED, ctypes.byref(stride))
        if not plane:
            raise Refused(Failure.CORRUPT)
        pixels = ctypes.string_at(plane, stride.value * height)
    finally:
        _LIBRARY.heif_image_release(decoded)
    mode = "RGBA" if has_alpha else "RGB"
    is_multiplied = has_alpha and _LIBRARY.heif_image_handle_is_premultiplied_alpha(handle)
    raw_mode = "RGBa" if is_multiplied else mode
    return Image.frombytes(mode, (width, height), pixels, "raw", raw_mode, stride.value)


def _check_warnings(decoded: ctypes.c_void_p) -> None:
    """Refuse a picture of which a part is missing: the library fills it with nothing."""
    warning = Error()
    first = 0
    while _LIBRARY.heif_image_get_decoding_warnings(decoded, first, ctypes.byref(warning), 1):
        if warning.subcode not in _UNKNOWN_COLORS:
            raise Refused(Failure.CORRUPT)
        first += 1


def _check(error: Error) -> None:
    if error.code == 0:
        return
    if (error.code, error.subcode) == _LIMIT_EXCEEDED:
        raise Refused(Failure.IMAGE_TOO_LARGE)
    if (error.code, error.subcode) == _OUT_OF_MEMORY:
        raise MemoryError
    raise Refused(Failure.CORRUPT)
