"""Whether a page has a size that can be taken, judged before it is decoded."""

from docparser_runtime.parser_child.failures import Failure, Refused
from docparser_runtime.parser_child.limits import LONGEST_SIDE, Limits


def check_size(width: int, height: int, limits: Limits) -> None:
    """Do nothing if a page of so many pixels may be decoded.

    Raises:
        Refused: it is too large or has no area.
    """
    if width * height > limits.page_pixels or max(width, height) > LONGEST_SIDE:
        raise Refused(Failure.IMAGE_TOO_LARGE)
    if min(width, height) < 1:
        raise Refused(Failure.PAGE_INVALID)
