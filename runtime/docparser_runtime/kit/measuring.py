"""Has samples read: one at a time for texts and times, then by more and more clients."""

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from docparser_runtime.client import BusyError, ClientError
from docparser_runtime.kit import figures
from docparser_runtime.kit.figures import Level, Request
from docparser_runtime.kit.report import Failure
from docparser_runtime.kit.samples import Sample
from docparser_runtime.kit.service import Service, code_of

ROUNDS: Final = 3
"""How often each sample is read alone, if time allows."""
_REFUSED_PAUSE_SECONDS: Final = 0.25

Told = Callable[[str], None]
"""Takes a line about the progress."""


@dataclass
class Alone:
    """What came of reading samples one at a time.

    Attributes:
        texts: first text of each file that was read.
    """

    texts: dict[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def seconds(self) -> dict[str, float]:
        """How long each file took: the median."""
        times: dict[str, list[float]] = {}
        for request in self.requests:
            times.setdefault(request.name, []).append(request.seconds)
        return {name: median(values) for name, values in times.items()}


@dataclass
class _Crowd:
    """What came of some clients."""

    requests: list[Request] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    refused: int = 0


async def alone(service: Service, samples: Sequence[Sample], seconds: float) -> Alone:
    """Return what comes of reading every sample once, and again while `seconds` have not passed."""
    found = Alone()
    # The first request pays for connections and caches; it is none of those that are measured.
    await _read(service, samples[0], Alone())
    began = time.perf_counter()
    for number, sample in itertools.product(range(ROUNDS), samples):
        if number == 0 or (sample.name in found.texts and time.perf_counter() - began < seconds):
            await _read(service, sample, found)
    return found


async def levels(
    service: Service,
    samples: Sequence[Sample],
    most_clients: int,
    seconds: float,
    told: Told,
    singly: Alone,
) -> tuple[tuple[Level, ...], tuple[Failure, ...]]:
    """Return what 1, 2, 4, ... clients get until more get no more, and what failed meanwhile.

    Each number of clients begins requests for so many seconds. Documents that took longer alone
    are left out, unless all did; then the fastest one is read.
    """
    times = singly.seconds
    known = sorted((s for s in samples if s.name in times), key=lambda s: times[s.name])
    chosen = [s for s in known if times[s.name] <= seconds] or known[:1]
    found: list[Level] = []
    failures: list[Failure] = []
    clients = 1
    while chosen and clients <= most_clients and (not found or figures.grows(found)):
        began = time.perf_counter()
        crowd = await _crowd(service, chosen, clients, began + seconds)
        window = (began, began + seconds)
        counts = {"refused": crowd.refused, "failed": len(crowd.failures)}
        found.append(figures.level(clients, crowd.requests, window, times, **counts))
        failures += crowd.failures
        told(f"{clients} clients: {found[-1].pages_per_second:.2f} pages/s")
        clients *= 2
    return tuple(found), tuple(failures)


async def _crowd(service: Service, samples: Sequence[Sample], clients: int, until: float) -> _Crowd:
    crowd = _Crowd()
    order = itertools.cycle(samples)
    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(_client(service, order, until, crowd))
    return crowd


async def _client(service: Service, order: Iterator[Sample], until: float, crowd: _Crowd) -> None:
    """Send one request after the other, up to a failure: a service that is gone is left alone."""
    while time.perf_counter() < until:
        sample = next(order)
        try:
            crowd.requests.append((await service.reading(sample)).request)
        except BusyError:
            crowd.refused += 1
            await asyncio.sleep(_REFUSED_PAUSE_SECONDS)
        except (ClientError, OSError) as error:
            crowd.failures.append(Failure(sample.name, code_of(error)))
            return


async def _read(service: Service, sample: Sample, into: Alone) -> None:
    try:
        reading = await service.reading(sample)
    except (ClientError, OSError) as error:
        into.failures.append(Failure(sample.name, code_of(error)))
        return
    into.requests.append(reading.request)
    into.texts.setdefault(sample.name, reading.text)
