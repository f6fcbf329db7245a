"""What runs next: pages to encode, runs of prompts, or tokens of everything that writes.

The engine's loop is three moves: `schedule`, run the step, `ran`. Requests are pages or windows of
pages, and join and leave between any two steps. Whatever a request can come to need in the cache is
set aside when it is taken in, so nothing that has begun is ever thrown out.

Encoding is bound by computing and writing by memory, so a device may do both at once. A loop that
does so asks for pages by `schedule_vision`, reports them by `ran_vision`, and lets its other steps
go on meanwhile.
"""

from docparser_runtime.engine.generation.fairness import FairQueue
from docparser_runtime.engine.generation.kv_blocks import KvBlocks
from docparser_runtime.engine.generation.requests import (
    DecodeStep,
    Limits,
    Request,
    Stage,
    Step,
    VisionStep,
)
from docparser_runtime.engine.generation.running import Running


class TooLarge(ValueError):  # noqa: N818 (what the request is)
    """A request needs more blocks than there are, even if it were alone."""


class Scheduler:
    """Decides on steps. Not safe for threads: the loop that runs the steps owns it.

    Args:
        limits: how much a step takes on.
        blocks: blocks of the cache.
        encodes_aside: whether `schedule_vision` gives the pages to encode, instead of `schedule`.

    Attributes:
        limits: may be replaced between steps.
        admits: whether requests that wait may begin; what has begun goes on in any case.
    """

    def __init__(self, limits: Limits, blocks: int, *, encodes_aside: bool = False) -> None:
        self.limits = limits
        self.admits = True
        self._encodes_aside = encodes_aside
        self._vision: VisionStep | None = None
        self._blocks = KvBlocks(blocks)
        self._waiting = FairQueue()
        self._running = Running()
        self._step: Step | None = None
        self._owed_seconds = 0.0
        self._has_written = True

    @property
    def free_blocks(self) -> int:
        """Blocks that nothing in work has set aside."""
        return self._blocks.free

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do, now or later."""
        return not self._waiting and not len(self._running)

    def count(self, stage: Stage) -> int:
        """Return how many requests are at `stage`."""
        return len(self._waiting) if stage is Stage.WAITING else self._running.count(stage)

    def stage(self, request_id: int) -> Stage | None:
        """Return how far a request has come; None if it is unknown or over."""
        return Stage.WAITING if request_id in self._waiting else self._running.stage(request_id)

    def block_table(self, request_id: int) -> tuple[int, ...]:
        """Return the blocks of a request in work: first its reference, then what it writes.

        Raises:
            KeyError: it is not in work.
        """
        return self._blocks.table(request_id)

    def submit(self, request: Request) -> None:
        """Let `request` wait for its turn.

        Raises:
            TooLarge: it could never run.
        """
        if request.blocks > self._blocks.count:
            raise TooLarge(
                f"the request takes {request.blocks} blocks of the cache, which has "
                f"{self._blocks.count}"
            )
        self._waiting.add(request)

    def end(self, request_id: int) -> None:
        """Leave a request off, finished or not wanted any more. Its blocks are free at once.

        A step that is running may still write to them; the next one begins after it.

        Raises:
            KeyError: it is unknown or over.
        """
        if request_id in self._waiting:
            self._waiting.remove(request_id)
            return
        self._running.remove(request_id)
        self._blocks.release(request_id)

    def schedule(self) -> Step | None:
        """Return the next step; None if nothing can be done now.

        Raises:
            RuntimeError: the last step has not been reported as run.
        """
        if self._step is not None:
            raise RuntimeError("the last step has not run yet")
        if self._is_writing_next():
            self._step = self._running.decode_step(self.limits)
        elif self._encodes_aside:
            self._step = self._running.prefill_step(self.limits)
        else:
            if not self._running.count(Stage.PREFILL):
                self._admit()
            self._step = self._running.prefill_step(self.limits)
            self._step = self._step or self._running.vision_step(self.limits)
        return self._step

    def schedule_vision(self) -> VisionStep | None:
        """Return the next pages to encode beside other steps; None if there are none now.

        Raises:
            RuntimeError: the last ones have not been reported, or none are encoded aside.
        """
        if self._vision is not None or not self._encodes_aside:
            raise RuntimeError("pages are being encoded already, or with all other steps")
        # Far ahead of the decoder there is no use in encoding, and fairness would suffer.
        if self._running.count(Stage.PREFILL) < 2 * self.limits.encoder_pages:
            self._admit()
            self._vision = self._running.vision_step(self.limits)
        return self._vision

    def ran_vision(self) -> None:
        """Note that the pages that `schedule_vision` returned are encoded.

        Raises:
            RuntimeError: there were none.
        """
        step, self._vision = self._vision, None
        if step is None:
            raise RuntimeError("no pages are being encoded")
        self._running.advance(step)

    def ran(self, seconds: float) -> tuple[int, ...]:
        """Note that the last step has run and took `seconds`.

        Returns:
            The requests that are over since they have written all that they may. Others end when
            `end` is called.

        Raises:
            RuntimeError: there was no step.
        """
        step, self._step = self._step, None
        if step is None:
            raise RuntimeError("there is no step that could have run")
        self._note_time(step, seconds)
        over = self._running.advance(step)
        for request_id in over:
            self.end(request_id)
        return tuple(over)

    def _is_writing_next(self) -> bool:
        if not self._running.count(Stage.DECODE):
            return False
        if not self._has_written or self._owed_seconds > 0:
            return True
        if self._running.count(Stage.PREFILL):
            return False
        takes_in = self._running.count(Stage.VISION) or self._admissible()
        return self._encodes_aside or not takes_in

    def _note_time(self, step: Step, seconds: float) -> None:
        """Keep account of the time that writing has to get before more is taken in."""
        writing = self._running.count(Stage.DECODE)
        self._has_written = isinstance(step, DecodeStep)
        if self._has_written:
            self._owed_seconds = max(0.0, self._owed_seconds - seconds)
        elif writing:
            share = self.limits.decode_share(writing)
            self._owed_seconds += seconds * share / (1 - share)
        else:
            self._owed_seconds = 0.0

    def _admissible(self) -> Request | None:
        """Return the next request if there is room for it.

        Nobody is let past it: a large request would wait for ever behind small ones.
        """
        first = self._waiting.first()
        is_possible = (
            self.admits
            and first is not None
            and len(self._running) < self.limits.sequences
            and first.blocks <= self._blocks.free
        )
        return first if is_possible else None

    def _admit(self) -> None:
        """Begin what the next step of the encoder takes; others keep their chance to be first."""
        pages, tiles = self._running.unseen()
        while (request := self._admissible()) is not None:
            others = pages
            pages += len(request.page_tiles)
            tiles += sum(request.page_tiles)
            is_full = pages > self.limits.encoder_pages or tiles > self.limits.encoder_tiles
            if others and is_full:
                return
            self._waiting.remove(request.id)
            self._blocks.take(request.id, request.blocks)
            self._running.start(request)
