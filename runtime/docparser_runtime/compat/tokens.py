"""Tokens of texts whose engine writes none: clients limit answers by them, and are told of them."""

from typing import Final

BYTES_OF_A_TOKEN: Final = 4
"""Bytes of UTF-8. Tokens of language models have about as many in English, and fewer characters
where each takes more bytes, as this does."""


class Saying:
    """What has been said of an answer, and how many tokens it has.

    Args:
        most_tokens: what is beyond is not said; None for no limit.

    Attributes:
        is_cut: whether the text would have gone on.
    """

    def __init__(self, most_tokens: int | None = None) -> None:
        self.is_cut = False
        self._most_bytes = None if most_tokens is None else most_tokens * BYTES_OF_A_TOKEN
        self._bytes = 0

    @property
    def tokens(self) -> int:
        """Tokens so far, the last one of which may be smaller."""
        return -(-self._bytes // BYTES_OF_A_TOKEN)

    def add(self, text: str) -> str:
        """Return the part of `text` that can still be said."""
        content = text.encode()
        room = len(content) if self._most_bytes is None else self._most_bytes - self._bytes
        if self.is_cut or len(content) > room:
            # Never half a character.
            text = "" if self.is_cut else content[:room].decode(errors="ignore")
            self.is_cut = True
        self._bytes += len(text.encode())
        return text
