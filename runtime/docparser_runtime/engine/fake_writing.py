"""How the engine `fake` writes a text as if it generated it: word by word, over a given time."""

import re
import time
from dataclasses import dataclass
from typing import Final

from docparser_runtime.engine.base import Generation
from docparser_runtime.engine.listening import Listener, Unwanted

_WORDS: Final = re.compile(r"\S+\s*|\s+")
_LONGEST_PAUSE_SECONDS: Final = 0.05
"""So soon it hears that nobody waits any more, however long a word takes."""


@dataclass(frozen=True)
class Writing:
    """What was written.

    Attributes:
        is_cut: whether the number of tokens did not suffice for all of it.
        generation: how it was written; None when it came at once.
    """

    text: str
    is_cut: bool = False
    generation: Generation | None = None


def written(text: str, most_tokens: int | None, seconds: float, listener: Listener) -> Writing:
    """Write `text` within `seconds`, a word for each token.

    Raises:
        Unwanted: the listener does not want it any more.
    """
    words = _WORDS.findall(text)
    tokens = words if most_tokens is None else words[:most_tokens]
    pause = seconds / len(words) if words else 0.0
    began = time.monotonic()
    times = []
    for number, word in enumerate(tokens, 1):
        _wait_until(began + number * pause, listener)
        times.append(time.monotonic() - began)
        listener.wrote(word)
    generation = Generation(
        len(tokens),
        first_token_seconds=times[0] if times else None,
        token_seconds=(times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None,
    )
    return Writing("".join(tokens), len(tokens) < len(words), generation)


def _wait_until(moment: float, listener: Listener) -> None:
    while True:
        if not listener.is_wanted():
            raise Unwanted
        left = moment - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, _LONGEST_PAUSE_SECONDS))
