"""Names of objects: relative, plain, and the same in a directory and in a bucket."""

import re
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+")
_PREFIX: Final = re.compile(r"([A-Za-z0-9_-][A-Za-z0-9_.-]*/)+")
_MOST_CHARACTERS: Final = 512
_MOST_CHARACTERS_OF_A_PART: Final = 200


class InvalidName(ValueError):  # noqa: N818 (what it is)
    """No object can have this name."""


def checked(name: str) -> str:
    """Return `name`, two or more parts of letters, digits, `_`, `-` and `.`, none led by a `.`.

    Raises:
        InvalidName: it has another form, or is too long.
    """
    return _checked(name, _NAME)


def checked_prefix(prefix: str) -> str:
    """Return `prefix`: parts as in names, each of which ends with `/`.

    Raises:
        InvalidName: it has another form, or is too long.
    """
    return _checked(prefix, _PREFIX)


def _checked(text: str, form: re.Pattern[str]) -> str:
    longest = max(map(len, text.split("/")))
    if not form.fullmatch(text) or len(text) > _MOST_CHARACTERS:
        raise InvalidName(f"no object can have the name {text!r:.80}")
    if longest > _MOST_CHARACTERS_OF_A_PART:
        raise InvalidName(f"a part of the name {text!r:.80} is too long")
    return text
