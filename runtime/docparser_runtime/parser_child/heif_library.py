"""The C interface of libheif, as far as decoding needs it.

The package pi_heif brings the library, but decodes with a thread of its own for every picture,
which a confined process cannot start. That can be turned off only by the decoder's options, and
of them the package shows nothing.
"""

import ctypes
from typing import Any, ClassVar

import _pi_heif  # type: ignore[import-not-found]

_NO_THREADS = -1
"""Number of threads of the decoder, for which 0 means its default, one."""
_LEAST_VERSION = 8
"""First version of the options that holds the number of threads."""


class Error(ctypes.Structure):
    """What most functions return; `code` is 0 for success."""

    _fields_: ClassVar = [
        ("code", ctypes.c_int),
        ("subcode", ctypes.c_int),
        ("message", ctypes.c_char_p),
    ]


class _ColorConversion(ctypes.Structure):
    _fields_: ClassVar = [
        ("version", ctypes.c_uint8),
        ("downsampling", ctypes.c_int),
        ("upsampling", ctypes.c_int),
        ("only_preferred", ctypes.c_uint8),
    ]


class _Options(ctypes.Structure):
    """The beginning of `heif_decoding_options`."""

    _fields_: ClassVar = [
        ("version", ctypes.c_uint8),
        ("ignore_transformations", ctypes.c_uint8),
        ("progress", ctypes.c_void_p * 4),
        ("convert_hdr_to_8bit", ctypes.c_uint8),
        ("strict_decoding", ctypes.c_uint8),
        ("decoder_id", ctypes.c_char_p),
        ("color_conversion", _ColorConversion),
        ("cancel_decoding", ctypes.c_void_p),
        ("more_color_conversion", ctypes.c_void_p),
        ("ignore_edit_list", ctypes.c_int),
        ("output_profile", ctypes.c_void_p),
        ("library_threads", ctypes.c_int),
        ("codec_threads", ctypes.c_int),
    ]


_POINTER = ctypes.c_void_p
_INT = ctypes.c_int
_TO_POINTER = ctypes.POINTER(ctypes.c_void_p)
_TO_OPTIONS = ctypes.POINTER(_Options)

_FUNCTIONS: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
    ("init", Error, (_POINTER,)),
    ("context_alloc", _POINTER, ()),
    ("context_free", None, (_POINTER,)),
    ("context_set_max_decoding_threads", None, (_POINTER, _INT)),
    ("context_set_maximum_image_size_limit", None, (_POINTER, _INT)),
    (
        "context_read_from_memory_without_copy",
        Error,
        (_POINTER, ctypes.c_char_p, ctypes.c_size_t, _POINTER),
    ),
    ("context_get_number_of_top_level_images", _INT, (_POINTER,)),
    ("context_get_list_of_top_level_image_IDs", _INT, (_POINTER, _POINTER, _INT)),
    ("context_get_image_handle", Error, (_POINTER, ctypes.c_uint32, _TO_POINTER)),
    ("image_handle_get_width", _INT, (_POINTER,)),
    ("image_handle_get_height", _INT, (_POINTER,)),
    ("image_handle_get_ispe_width", _INT, (_POINTER,)),
    ("image_handle_get_ispe_height", _INT, (_POINTER,)),
    ("image_handle_has_alpha_channel", _INT, (_POINTER,)),
    ("image_handle_is_premultiplied_alpha", _INT, (_POINTER,)),
    ("image_handle_release", None, (_POINTER,)),
    ("decoding_options_alloc", _TO_OPTIONS, ()),
    ("decode_image", Error, (_POINTER, _TO_POINTER, _INT, _INT, _TO_OPTIONS)),
    ("image_get_width", _INT, (_POINTER, _INT)),
    ("image_get_height", _INT, (_POINTER, _INT)),
    ("image_get_plane_readonly2", _POINTER, (_POINTER, _INT, ctypes.POINTER(ctypes.c_size_t))),
    ("image_get_decoding_warnings", _INT, (_POINTER, _INT, ctypes.POINTER(Error), _INT)),
    ("image_release", None, (_POINTER,)),
)


def opened_library() -> ctypes.CDLL:
    """Return the library, ready for use."""
    # A search for a function in this module goes on in what it is linked with.
    library = ctypes.CDLL(_pi_heif.__file__)
    for name, result, arguments in _FUNCTIONS:
        function = getattr(library, f"heif_{name}")
        function.restype, function.argtypes = result, arguments
    library.heif_init(None)
    return library


def decoding_options(library: ctypes.CDLL) -> Any:
    """Return options for pictures of 8 bits, decoded without a thread.

    Raises:
        RuntimeError: the library is too old to know such options.
    """
    options = library.heif_decoding_options_alloc()
    if options.contents.version < _LEAST_VERSION:
        raise RuntimeError("This libheif always decodes with threads.")
    options.contents.convert_hdr_to_8bit = 1
    options.contents.codec_threads = _NO_THREADS
    return options
