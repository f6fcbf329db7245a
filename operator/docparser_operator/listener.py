"""Hears at once that more pages wait, where the next look of the meter would be seconds away."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from docparser_api.names import PATH_QUEUE

from docparser_operator.analysis.fetch import Fetch, FetchError
from docparser_operator.autoscaling.subject import Load, ScalingSubject
from docparser_operator.kinds import Key
from docparser_operator.rounds import Rounds

WAIT_SECONDS: Final = 25.0
"""How long a pod may keep a question until it has news."""
_PATIENCE_SECONDS: Final = WAIT_SECONDS + 5.0
PAUSE_SECONDS: Final = 1.0
"""Pause after news: the meter is to look first."""
FAILED_SECONDS: Final = 5.0
"""Pause after a question that was not answered; another pod is asked then."""
UNABLE_SECONDS: Final = 30.0
"""Pause after a pod refused: its release may not know the question."""
_GROWTH: Final = 1.25
"""By how much more must wait to be news, where something does already."""


@dataclass
class _Watch:
    """One subject, and which of its pods is asked."""

    subject: ScalingSubject
    due_seconds: float
    turn: int = 0
    is_looking: bool = False


class Listener:
    """Keeps a question open at one pod of each shared queue: tell when more than this waits.

    Args:
        load: returns what the meter knows of a subject.
        hurry: called with the key of one about which there is news.
        clock: seconds that never go back.
        fetch: fetches from pods.
    """

    def __init__(
        self,
        load: Callable[[Key], Load | None],
        hurry: Callable[[Key], None],
        clock: Callable[[], float],
        fetch: Fetch,
    ) -> None:
        self._load = load
        self._hurry = hurry
        self._clock = clock
        self._fetch = fetch
        self._rounds = Rounds[_Watch](self._look, clock)

    def watch(self, key: Key, subject: ScalingSubject | None) -> None:
        """Listen for `subject` from now on, if its pods share a queue; None ends that."""
        known = self._rounds.watches.get(key)
        if subject is None or not subject.is_shared or not subject.pods:
            self._rounds.watches.pop(key, None)
        elif known is None:
            self._rounds.watches[key] = _Watch(subject, due_seconds=self._clock())
        else:
            known.subject = subject
        self._rounds.changed()

    async def run(self) -> None:
        """Listen until cancelled."""
        await self._rounds.run()

    def clear(self) -> None:
        """Listen for nothing any more."""
        self._rounds.watches.clear()

    async def close(self) -> None:
        """Forget everything and close the connections."""
        self.clear()
        await self._fetch.close()

    async def _look(self, key: Key, watch: _Watch) -> None:
        """Ask one pod once."""
        watch.due_seconds = self._clock() + FAILED_SECONDS
        known = _news_from(self._load(key))
        _uid, address = watch.subject.pods[watch.turn % len(watch.subject.pods)]
        url = f"http://{address}{PATH_QUEUE}?above={known}&wait={WAIT_SECONDS:g}"
        pause = 0.0  # without news it is asked again at once
        try:
            waiting = _waiting(await self._fetch.text(url, _PATIENCE_SECONDS))
        except FetchError as error:
            watch.turn += 1
            pause = UNABLE_SECONDS if error.result == "status" else FAILED_SECONDS
        else:
            if waiting > known and self._rounds.watches.get(key) is watch:
                pause = PAUSE_SECONDS
                self._hurry(key)
        watch.due_seconds = self._clock() + pause


def _news_from(load: Load | None) -> int:
    """Return above how many waiting pages there is news."""
    demand = load.demand if load is not None else None
    return math.ceil(demand.queued_pages * _GROWTH) if demand is not None else 0


def _waiting(text: str) -> int:
    """Return the number in the answer of a pod.

    Raises:
        FetchError: it is not one of ours.
    """
    try:
        return int(json.loads(text)["queued_pages"])
    except (ValueError, LookupError, TypeError):
        raise FetchError("malformed", "no count of waiting pages") from None
