"""Tokens to Markdown and blocks, as they come. Imports no torch."""

from collections.abc import Iterable
from typing import Protocol

from tokenizers import Tokenizer
from tokenizers.decoders import DecodeStream

from docparser_runtime.engine.base import Block
from docparser_runtime.engine.generation.page_text import PageSize, PageText
from docparser_runtime.engine.generation.tags import Piece, Tag, TagReader, Text


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


class _Detokenizer(Protocol):
    def add(self, tokens: Iterable[int]) -> str: ...


class PageReading:
    """One page while it is written."""

    def __init__(self, size: PageSize, text: _Detokenizer) -> None:
        self._text = text
        self._tags = TagReader(marks_pages=False)
        self._page = PageText(size)

    @property
    def markdown(self) -> str:
        """All Markdown up to now."""
        return self._page.markdown

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks up to now; none where the model says nothing of places."""
        return self._page.blocks

    @property
    def is_looping(self) -> bool:
        """Whether the same blocks come again and again."""
        return self._page.is_looping

    def add(self, tokens: Iterable[int]) -> str:
        """Take in tokens; return the Markdown that they add."""
        return self._written(self._tags.feed(self._text.add(tokens)))

    def close(self) -> str:
        """End the page; return the Markdown that is still added."""
        return self._written(self._tags.close()) + self._page.close()

    def _written(self, pieces: Iterable[Piece]) -> str:
        added = ""
        for piece in pieces:
            if isinstance(piece, Tag):
                added += self._page.begin(piece)
            elif isinstance(piece, Text):
                added += self._page.write(piece.text, None)
        return added
