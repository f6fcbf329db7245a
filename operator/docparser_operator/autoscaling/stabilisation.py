"""Wishes over a time: what grows follows the smallest of them, what shrinks the largest."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from docparser_operator.autoscaling.values import Rules, State, Wish

MOST_WISHES: Final = 32
"""How many earlier wishes are kept. Only those between two later ones are left out, so that many
are a sign of ever wilder changes."""


def stabilised(rules: Rules, state: State, wish: int, now: datetime) -> int:
    """Return the number of pods between the one asked for and `wish` that the windows allow."""
    up = timedelta(seconds=rules.scale_up_stabilization_seconds)
    down = timedelta(seconds=rules.scale_down_stabilization_seconds)
    lowest = min([wish, *(w.replicas for w in _since(state, now - up))])
    highest = max([wish, *(w.replicas for w in _since(state, now - down))])
    return min(max(state.replicas, lowest), highest)


def remembered(rules: Rules, state: State, wish: int, now: datetime) -> tuple[Wish, ...]:
    """Return the earlier wishes that count for the decision after this one."""
    window = max(rules.scale_up_stabilization_seconds, rules.scale_down_stabilization_seconds)
    kept = [w for w in _since(state, now - timedelta(seconds=window)) if w.replicas != wish]
    return _telling(kept, wish)[-MOST_WISHES:]


def _since(state: State, then: datetime) -> Iterable[Wish]:
    """Yield the wishes that stood after `then`; the last one has stood until now."""
    last = (state.wished,) if state.wished is not None else ()
    return [wish for wish in (*state.wishes, *last) if wish.until > then]


def _telling(wishes: list[Wish], wish: int) -> tuple[Wish, ...]:
    """Return the wishes that are above or below all later ones: no other can be an extreme."""
    low = high = wish
    found = []
    for earlier in reversed(wishes):
        if not low <= earlier.replicas <= high:
            found.append(earlier)
        low, high = min(low, earlier.replicas), max(high, earlier.replicas)
    return tuple(reversed(found))
