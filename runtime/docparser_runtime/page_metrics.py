"""What the service counts and measures of pages."""

from collections.abc import Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from docparser_runtime.engine.base import Generation, PageResult

_TOKEN_SECONDS: Final = (
    *(0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075),
    *(0.1, 0.15, 0.25, 0.5, 1),
)


class PageMetrics:
    """Metrics of pages that were read."""

    def __init__(self, registry: CollectorRegistry, seconds: Sequence[float]) -> None:
        """Put metrics into `registry`, with `seconds` as the steps of times of pages."""
        self._registry = registry
        self._pages = self._count("docparser_pages", "Pages that were read.")
        self._seconds = self._times(
            "docparser_page_duration_seconds", "Time that the engine took for a page.", seconds
        )
        self._truncated = self._count(
            "docparser_pages_truncated", "Pages on which the engine stopped before the end."
        )
        self._repetition = self._count(
            "docparser_pages_repetition", "Pages on which the engine repeated itself."
        )
        self._tiers = self._count(
            "docparser_tier_pages",
            "Pages of engines with tiers; lowered is true where pressure took a closer look away.",
            "tier",
            "lowered",
        )
        self._vision_tokens = self._count(
            "docparser_vision_tokens", "Tokens that page images took."
        )
        self._tokens = self._count("docparser_generated_tokens", "Tokens that the engine wrote.")
        self._retries = self._count(
            "docparser_page_retries", "Times that the engine began a page anew."
        )
        self._first_token = self._times(
            "docparser_time_to_first_token_seconds",
            "Time from a page's arrival at the engine to the first token of its text.",
            seconds,
        )
        self._token = self._times(
            "docparser_time_per_output_token_seconds",
            "Mean time of a page from one token of its text to the next.",
            _TOKEN_SECONDS,
        )

    def add(self, result: PageResult, seconds: float) -> None:
        """Count a page for which the engine took so long."""
        self._pages.inc()
        self._seconds.observe(seconds)
        self._truncated.inc(result.truncated)
        self._repetition.inc(result.repetition)
        self._vision_tokens.inc(result.vision_tokens)
        if result.tier is not None:
            self._tiers.labels(result.tier, str(result.lowered).lower()).inc()
        if result.generation is not None:
            self._add_generation(result.generation)

    def _add_generation(self, generation: Generation) -> None:
        self._tokens.inc(generation.tokens)
        self._retries.inc(generation.attempts - 1)
        if generation.first_token_seconds is not None:
            self._first_token.observe(generation.first_token_seconds)
        if generation.token_seconds is not None:
            self._token.observe(generation.token_seconds)

    def _count(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self._registry)

    def _times(self, name: str, text: str, steps: Sequence[float]) -> Histogram:
        return Histogram(name, text, buckets=steps, registry=self._registry)
