"""Looks at the load of pods again and again, for their autoscalers."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from docparser_api.names import PATH_METRICS

from docparser_operator.analysis.exposition import MalformedError
from docparser_operator.analysis.fetch import Fetch, FetchError
from docparser_operator.autoscaling.observation import Observation, first_observation
from docparser_operator.autoscaling.readings import Reading, reading
from docparser_operator.autoscaling.subject import Load, ScalingSubject, is_news
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics
from docparser_operator.rounds import Rounds

INTERVAL_SECONDS: Final = 5.0
"""Pause between the beginnings of two looks at an object."""
TIMEOUT_SECONDS: Final = 3.0
"""Longest wait for a pod."""
MOST_AT_ONCE: Final = 64
"""Pods that are asked at the same time, of all objects."""


@dataclass
class _Watch:
    """One subject and what is known of it."""

    subject: ScalingSubject
    load: Load
    due_seconds: float
    observation: Observation | None = None
    is_looking: bool = False


class Meter:
    """Measures the load of all subjects, and wakes those whose autoscaler would decide anew.

    Args:
        wake: called with the key of such a one.
        clock: seconds that never go back.
        now: returns the time.
        fetch: fetches from pods.
        metrics: where looks at pods are counted.
    """

    def __init__(
        self,
        wake: Callable[[Key], None],
        clock: Callable[[], float],
        now: Callable[[], datetime],
        fetch: Fetch,
        metrics: Metrics,
    ) -> None:
        self._wake = wake
        self._clock = clock
        self._now = now
        self._fetch = fetch
        self._metrics = metrics
        self._rounds = Rounds[_Watch](self._look, clock)
        self._room = asyncio.Semaphore(MOST_AT_ONCE)

    def watch(self, key: Key, subject: ScalingSubject | None) -> None:
        """Measure `subject` from now on; None ends that and forgets what was measured."""
        known = self._rounds.watches.get(key)
        if subject is None:
            self._rounds.watches.pop(key, None)
        elif known is None:
            load = Load(state=subject.state, begun=self._now())
            self._rounds.watches[key] = _Watch(subject, load, due_seconds=self._clock())
        else:
            known.subject, known.load = subject, replace(known.load, state=subject.state)
        self._rounds.changed()

    def load(self, key: Key) -> Load | None:
        """Return what is known about `key`; None before it was watched."""
        watch = self._rounds.watches.get(key)
        return watch.load if watch is not None else None

    def hurry(self, key: Key) -> None:
        """Look at the pods of `key` now: something is known to have happened."""
        watch = self._rounds.watches.get(key)
        if watch is not None:
            watch.due_seconds = self._clock()
            self._rounds.changed()

    async def run(self) -> None:
        """Measure until cancelled."""
        await self._rounds.run()

    def clear(self) -> None:
        """Measure nothing any more and forget everything."""
        self._rounds.watches.clear()

    async def close(self) -> None:
        """Forget everything and close the connections."""
        self.clear()
        await self._fetch.close()

    async def _look(self, key: Key, watch: _Watch) -> None:
        """Look once at all pods of one subject."""
        watch.due_seconds = self._clock() + INTERVAL_SECONDS
        await self._measure(watch)
        if self._rounds.watches.get(key) is watch and self._would_decide(watch):
            self._wake(key)

    async def _measure(self, watch: _Watch) -> None:
        """Take note of the load, if enough of the pods tell theirs."""
        pods = watch.subject.pods
        found = await asyncio.gather(*(self._reading(address) for _uid, address in pods))
        told = {uid: one for (uid, _), one in zip(pods, found, strict=True) if one is not None}
        if not told or 2 * len(told) < len(pods):
            return  # what is known grows old, and then counts no more
        known, now = watch.observation, self._now()
        if known is None:
            watch.observation = first_observation(told, now, is_shared=watch.subject.is_shared)
        elif now > known.at:
            # A pod that does not answer in time is busy rather than idle.
            silent = {uid: known.readings[uid] for uid, _ in pods if uid in known.readings}
            watch.observation = known.after({**silent, **told}, now)
        watch.load = _load(watch)

    def _would_decide(self, watch: _Watch) -> bool:
        """Return whether a decision now would be another one; remember what was wished for."""
        subject, state = watch.subject, watch.load.state or watch.subject.state
        if not subject.decides:
            return False
        decision = subject.decision(watch.load, self._now())
        watch.load = replace(watch.load, state=replace(decision.state, replicas=state.replicas))
        if watch.load.is_too_early(self._now()) and decision.replicas == state.replicas:
            return False
        return is_news(state.replicas, subject.reason, decision)

    async def _reading(self, address: str) -> Reading | None:
        """Return what a pod tells; None if it does not."""
        result = "success"
        async with self._room:
            with self._metrics.scrape_duration.time():
                try:
                    return reading(
                        await self._fetch.text(f"http://{address}{PATH_METRICS}", TIMEOUT_SECONDS)
                    )
                except FetchError as error:
                    result = error.result
                except MalformedError:
                    result = "malformed"
                finally:
                    self._metrics.scrapes.labels(result).inc()
        return None


def _load(watch: _Watch) -> Load:
    seen = watch.observation
    if seen is None:
        return watch.load
    known = watch.load
    return Load(
        seen.demand,
        seen.pages_per_second,
        seen.vram_used,
        known.state,
        known.begun,
        seen.remaining,
    )
