"""In which order requests are taken in: by shares that get equally much, whoever asks for more."""

from heapq import heappop, heappush

from docparser_runtime.engine.generation.requests import Request


class FairQueue:
    """Requests that wait. Each share is served as if it had its part of the machine for itself.

    A request begins, in virtual time, when the one before it of the same share ends, but never
    before what is being taken in now; it lasts as long as its blocks are many and its weight is
    low. The first to begin is the next. So no share can hold up another for long, none waits for
    ever, and a share that was silent has saved up nothing.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, int]] = []
        self._waiting: dict[int, Request] = {}
        self._ends: dict[str, float] = {}
        self._now = 0.0
        self._arrivals = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, request_id: int) -> bool:
        return request_id in self._waiting

    def add(self, request: Request) -> None:
        """Let `request` wait, behind those of its share."""
        begin = max(self._now, self._ends.get(request.share, 0.0))
        self._ends[request.share] = begin + request.blocks / request.weight
        self._waiting[request.id] = request
        heappush(self._heap, (begin, self._arrivals, request.id))
        self._arrivals += 1

    def first(self) -> Request | None:
        """Return the next request; it goes on waiting."""
        while self._heap and self._heap[0][2] not in self._waiting:
            heappop(self._heap)
        return self._waiting[self._heap[0][2]] if self._heap else None

    def remove(self, request_id: int) -> None:
        """Let a request wait no longer, because it is taken in or not wanted any more.

        Raises:
            KeyError: it does not wait.
        """
        del self._waiting[request_id]
        if self._heap[0][2] == request_id:
            self._now = max(self._now, heappop(self._heap)[0])
        if not self._waiting:
            self._heap.clear()
            self._ends.clear()
            self._now = 0.0
        elif len(self._ends) > 2 * len(self._waiting):
            # A share whose end has passed begins anew like one that was never there.
            self._ends = {share: end for share, end in self._ends.items() if end > self._now}
