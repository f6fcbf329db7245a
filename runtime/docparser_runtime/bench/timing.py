# mypy: disable-error-code="no-untyped-call"
"""How long things take on the GPU."""

import statistics
from collections.abc import Callable

import torch

_COPY_BYTES = 2 << 30
_COPY_ROUNDS = 10


def seconds_of(work: Callable[[], object], rounds: int, samples: int = 5) -> float:
    """Return the median over `samples` of the mean time of `rounds` runs of `work`."""
    work()
    times: list[float] = []
    for _ in range(samples):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(rounds):
            work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / rounds / 1000)
    return statistics.median(times)


def replayed(work: Callable[[], object], rounds: int) -> float:
    """Return how long `work` takes as a CUDA graph."""
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return seconds_of(graph.replay, rounds)


def copy_bandwidth() -> float:
    """Return bytes per second of a copy on the device, read and written ones together."""
    source = torch.empty(_COPY_BYTES, dtype=torch.uint8, device="cuda").random_()
    target = torch.empty_like(source)
    return 2 * _COPY_BYTES / seconds_of(lambda: target.copy_(source), _COPY_ROUNDS)
