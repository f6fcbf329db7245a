"""Tokens to Markdown and blocks, as they come. Imports no torch."""

from collections.abc import Iterable
from typing import Protocol

from docparser_api.model_sizes import Family
from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

from docparser_runtime.engine.generation.answers import Answer, Delta, PageAnswer
from docparser_runtime.engine.generation.page_text import PageSize
from docparser_runtime.engine.generation.stopping import Stop


class TextTokenizer:
    """A model's tokenizer, from its `tokenizer.json`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def encode(self, text: str) -> list[int]:
        """Return the tokens of `text`; nothing is put before or behind them."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def stream(self) -> "TokenText":
        """Return what turns the tokens of one text into pieces of it."""
        return TokenText(self._tokenizer)


class TokenText:
    """Turns tokens into text. A character may take several; it comes with its last."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        # Tags are special tokens in some vocabularies, and are needed.
        self._stream = DecodeStream(skip_special_tokens=False)

    def add(self, tokens: Iterable[int]) -> str:
        """Return the text that `tokens` complete."""
        pieces = (self._stream.step(self._tokenizer, token) for token in tokens)
        return "".join(piece for piece in pieces if piece is not None)


class Detokenizer(Protocol):
    """See `TokenText`."""

    def add(self, tokens: Iterable[int]) -> str:
        """Return the text that `tokens` complete."""
        ...


class PageReading:
    """One page while it is written."""

    def __init__(self, family: Family, size: PageSize, text: Detokenizer) -> None:
        self._text = text
        self._answer = Answer(family, [size])

    @property
    def stop(self) -> Stop | None:
        """Why the text has to end, as far as words tell; None while it may go on."""
        return self._answer.stop

    def add(self, tokens: Iterable[int]) -> str:
        """Take in tokens; return the Markdown that they add."""
        return _markdown(self._answer.feed(self._text.add(tokens), None))

    def close(self, stop: Stop) -> tuple[str, PageAnswer]:
        """Return the Markdown that is still added, and the page, now over because of `stop`."""
        deltas, (page,) = self._answer.close(stop)
        return _markdown(deltas), page


def _markdown(deltas: Iterable[Delta]) -> str:
    return "".join(delta.markdown for delta in deltas)
