"""Pure: how long documents of each layout class took alone, and what engines tell of their work."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from docparser_runtime.kit.figures import Latency, Request, Work, latency, percentile
from docparser_runtime.kit.samples import Sample
from docparser_runtime.schemas import ParseResponse


@dataclass(frozen=True)
class ClassFigures:
    """What requests for documents of one class took and brought.

    Attributes:
        pages: how many were read, those of each request.
        p50_seconds_per_page: median over the requests of their time for each page.
        vision_tokens_per_page: mean; None for engines that have none.
        generated_tokens_per_page: mean; None for engines that do not generate.
        generated_tokens_per_second: of one request alone; None likewise.
        tiers: pages by the tier at which they were read; empty for engines without.
        lowered_pages: pages that a service under pressure looked at less closely.
        cut_off_pages: pages that are cut off or fell into a loop.
    """

    latency: Latency
    pages: int
    p50_seconds_per_page: float
    vision_tokens_per_page: float | None
    generated_tokens_per_page: float | None
    generated_tokens_per_second: float | None
    tiers: Mapping[str, int]
    lowered_pages: int
    cut_off_pages: int


def work_of(answer: ParseResponse) -> Work:
    """Return what an answer tells of the engine's work."""
    pages = answer.pages
    return Work(
        vision_tokens=answer.vision_tokens,
        generated_tokens=answer.generated_tokens,
        tiers=Counter(page.tier.value for page in pages if page.tier is not None),
        lowered_pages=sum(page.lowered for page in pages),
        cut_off_pages=sum(page.truncated or page.repetition for page in pages),
    )


def by_class(samples: Iterable[Sample], requests: Sequence[Request]) -> dict[str, ClassFigures]:
    """Return the figures of each class of which a document was read."""
    class_of = {sample.name: sample.layout_class for sample in samples}
    groups: dict[str, list[Request]] = {}
    for request in requests:
        groups.setdefault(class_of[request.name], []).append(request)
    return {name: _figures(groups[name]) for name in sorted(groups)}


def _figures(requests: Sequence[Request]) -> ClassFigures:
    times = latency(requests)
    if times is None:
        raise ValueError("no requests have no figures")
    pages = sum(request.pages for request in requests)
    seconds = sum(request.seconds for request in requests)
    works = [request.work for request in requests]
    generated = sum(work.generated_tokens for work in works)
    return ClassFigures(
        times,
        pages,
        percentile([request.seconds / max(request.pages, 1) for request in requests], 50),
        _ratio(sum(work.vision_tokens for work in works), pages),
        _ratio(generated, pages),
        _ratio(generated, seconds),
        dict(sum((Counter(work.tiers) for work in works), Counter())),
        sum(work.lowered_pages for work in works),
        sum(work.cut_off_pages for work in works),
    )


def _ratio(tokens: int, of: float) -> float | None:
    return tokens / of if tokens and of else None
