"""Looks at the pods of two revisions again and again, and remembers what they counted."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from docparser_api.names import PATH_METRICS

from docparser_operator.analysis import promql
from docparser_operator.analysis.evidence import Evidence
from docparser_operator.analysis.exposition import MalformedError, counters
from docparser_operator.analysis.fetch import Fetch, FetchError
from docparser_operator.analysis.subject import ScrapedPod, Subject
from docparser_operator.analysis.window import Window
from docparser_operator.kinds import Key
from docparser_operator.metrics import Metrics
from docparser_operator.rounds import Rounds

__all__ = ["ScrapedPod", "Scraper", "Subject"]

TIMEOUT_SECONDS: Final = 3.0
"""Longest wait for a pod."""
MOST_AT_ONCE: Final = 16
"""Pods of one object that are asked at the same time."""


@dataclass
class _Watch:
    """One subject and what is known of it."""

    subject: Subject
    window: Window
    due_seconds: float
    queries: dict[str, float | None] = field(default_factory=dict)
    is_looking: bool = False
    has_looked: bool = False


class Scraper:
    """Measures all subjects, each at its own pace.

    Args:
        wake: called with a key after each look.
        clock: seconds that never go back.
        fetch: fetches from pods and from Prometheus servers.
        default_prometheus: the server in the operator's settings, if there is one. Its token is
            sent to no other.
        metrics: where looks at pods are counted.
    """

    def __init__(
        self,
        wake: Callable[[Key], None],
        clock: Callable[[], float],
        fetch: Fetch,
        default_prometheus: promql.Server | None,
        metrics: Metrics,
    ) -> None:
        self._wake = wake
        self._clock = clock
        self._fetch = fetch
        self._default_prometheus = default_prometheus
        self._metrics = metrics
        self._rounds = Rounds[_Watch](self._look, clock)

    def watch(self, key: Key, subject: Subject | None) -> None:
        """Measure `subject` from now on; None ends that and forgets what was measured."""
        known, now = self._rounds.watches.get(key), self._clock()
        if subject is None:
            self._rounds.watches.pop(key, None)
        elif known is not None and known.subject.window == subject.window:
            known.subject = subject
            known.due_seconds = min(known.due_seconds, now + subject.interval_seconds)
        else:
            self._rounds.watches[key] = _Watch(subject, Window(now), due_seconds=now)
        self._rounds.changed()

    def evidence(self, key: Key) -> Evidence | None:
        """Return what is known about `key`; None until it was looked at."""
        watch = self._rounds.watches.get(key)
        if watch is None or not watch.has_looked:
            return None
        return replace(watch.window.evidence(self._clock()), queries=dict(watch.queries))

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
        """Look once at all pods and queries of one subject."""
        watch.due_seconds = self._clock() + watch.subject.interval_seconds
        try:
            await self._measure(watch)
        finally:
            watch.has_looked = True
            if self._rounds.watches.get(key) is watch:
                self._wake(key)

    async def _measure(self, watch: _Watch) -> None:
        subject, at_once = watch.subject, asyncio.Semaphore(MOST_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for pod in subject.pods:
                group.create_task(self._scrape(watch.window, pod, at_once))
            queries = group.create_task(self._answers(subject))
        watch.queries = queries.result()

    async def _scrape(self, window: Window, pod: ScrapedPod, at_once: asyncio.Semaphore) -> None:
        """Add the counters of `pod`, if it tells them."""
        async with at_once:
            with self._metrics.scrape_duration.time():
                url = f"http://{pod.address}{PATH_METRICS}"
                result = "success"
                try:
                    totals = counters(await self._fetch.text(url, TIMEOUT_SECONDS))
                    window.add(
                        pod.uid,
                        pod.side,
                        totals,
                        self._clock(),
                        born_in_window=pod.born_in_window,
                    )
                except FetchError as error:
                    result = error.result
                except MalformedError:
                    result = "malformed"
        self._metrics.scrapes.labels(result).inc()

    async def _answers(self, subject: Subject) -> dict[str, float | None]:
        """Return the answer to each query."""
        server = self._server(subject)
        if server is None:
            return dict.fromkeys(name for name, _query in subject.queries)
        answers = await asyncio.gather(
            *(promql.answer(self._fetch, server, query) for _name, query in subject.queries)
        )
        return dict(zip((name for name, _query in subject.queries), answers, strict=True))

    def _server(self, subject: Subject) -> promql.Server | None:
        """Return the server to ask. The token goes to none that an object names."""
        if subject.prometheus_address is None:
            return self._default_prometheus
        return promql.Server(subject.prometheus_address)
