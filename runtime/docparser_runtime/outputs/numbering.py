"""Numbers within a line that recurs: which of them count pages, and which are something else."""

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+|[IVXLC]+")
_PAGE_WORD = (
    r"(?:page|pages|pp?\.?|pg\.?|seite|s\.|blatt|página|pagina|pág\.?|pag\.?|sida|side|strona|"
    r"стр\.?|страница|صفحة|頁|页|ページ|第)"
)
_OF = r"(?:/|\||of|von|de|di|sur|av|из|z|共)"
_PAGE_NUMBER = re.compile(
    rf"[\W_]*(?:{_PAGE_WORD}\W*)?#\s*(?:页|頁|ページ)?[\W_]*(?:{_OF}\W*#\s*(?:页|頁|ページ)?[\W_]*)?",
    re.IGNORECASE,
)
_IDENTIFIED = re.compile(r"(?:\b(?:no|nr|num|number|id|ref|n)\W*|[:#№º°]\s*)$", re.IGNORECASE)
"""What announces the number of a thing, such as an invoice."""
_PAGE_BEFORE = re.compile(rf"{_PAGE_WORD}\W*$", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_MOST_DIGITS = 9


def numbers(text: str) -> tuple[int, ...]:
    """Return the numbers in `text`; a text that is a Roman number has that one."""
    roman = _roman(text)
    if roman is not None:
        return (roman,)
    return tuple(int(digits[:_MOST_DIGITS]) for digits in _DIGITS.findall(text))


def masked(text: str) -> str:
    """Return `text` with a sign in place of every number, white space evened and without case."""
    if _roman(text) is not None:
        return _ROMAN.sub("#", text).strip()
    return " ".join(_DIGITS.sub("#", text).casefold().split())


def is_page_number(text: str) -> bool:
    """Return whether `text` is nothing but a page number, such as "- 3 -" or "Page 3 of 12"."""
    return _PAGE_NUMBER.fullmatch(masked(text)) is not None


class Numbering:
    """What the numbers of a line do from page to page: each stays as it is, or counts the pages."""

    def __init__(self, first: Sequence[int], page: int) -> None:
        self._last = tuple(first)
        self._page = page
        self._counting: list[bool | None] = [None] * len(first)

    def goes_on(self, found: Sequence[int], page: int) -> bool:
        """Return whether `found` on a later `page` goes on with the numbers; remember it if so."""
        if len(found) != len(self._last):
            return False
        steps = [number - last for number, last in zip(found, self._last, strict=True)]
        if any(step not in (0, page - self._page) for step in steps):
            return False
        counting = [step != 0 for step in steps]
        pairs = zip(self._counting, counting, strict=True)
        if any(known is not None and known != new for known, new in pairs):
            return False
        self._counting = [*counting]
        self._last, self._page = tuple(found), page
        return True

    @property
    def counts(self) -> bool:
        """Whether a number counts the pages."""
        return any(self._counting)

    def counts_pages(self, text: str) -> bool:
        """Return whether what counts, in `text`, is the page's number and not that of a thing.

        A page's number begins or ends the line.
        """
        places = [match.span() for match in _DIGITS.finditer(text)]
        counting = [place for place, does in zip(places, self._counting, strict=True) if does]
        return all(self._is_of_page(text, start, end) for start, end in counting)

    def _is_of_page(self, text: str, start: int, end: int) -> bool:
        before, after = text[:start], text[end:]
        if _PAGE_BEFORE.search(before):
            return True
        is_at_end = not any(map(str.isalnum, before)) or not any(map(str.isalnum, after))
        return is_at_end and not _IDENTIFIED.search(before)


def _roman(text: str) -> int | None:
    """Return the value of a text that is, but for punctuation, a Roman number."""
    found = text.strip(" \t-–—.·|[]()")  # noqa: RUF001 - dashes are meant
    if not _ROMAN.fullmatch(found):
        return None
    values = [_ROMAN_VALUES[letter] for letter in found.lower()]
    following = [*values[1:], 0]
    return sum(
        -value if value < after else value for value, after in zip(values, following, strict=True)
    )
