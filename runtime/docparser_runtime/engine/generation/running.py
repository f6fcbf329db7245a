"""Requests in work: how far each has come, and what of them the next step of each kind takes."""

from dataclasses import dataclass

from docparser_runtime.engine.generation.requests import (
    Chunk,
    DecodeStep,
    Limits,
    PrefillStep,
    Request,
    Stage,
    Step,
    VisionStep,
)


@dataclass
class Progress:
    """How much of a request is done: pages seen, prompt tokens taken in, tokens left to write."""

    request: Request
    left: int
    pages: int = 0
    prompt: int = 0

    @property
    def stage(self) -> Stage:
        """How far it has come."""
        if self.pages < len(self.request.page_tiles):
            return Stage.VISION
        return Stage.DECODE if self.left < self.request.max_new_tokens else Stage.PREFILL


class Running:
    """All requests in work, by stage, in the order in which they came there."""

    def __init__(self) -> None:
        self._stages: dict[Stage, dict[int, Progress]] = {
            stage: {} for stage in (Stage.VISION, Stage.PREFILL, Stage.DECODE)
        }

    def __len__(self) -> int:
        return sum(len(stage) for stage in self._stages.values())

    def count(self, stage: Stage) -> int:
        """Return how many are at `stage`."""
        return len(self._stages[stage])

    def stage(self, request_id: int) -> Stage | None:
        """Return the stage of a request; None if it is not in work."""
        found = (stage for stage, there in self._stages.items() if request_id in there)
        return next(found, None)

    def start(self, request: Request) -> None:
        """Begin with `request`."""
        progress = Progress(request, request.max_new_tokens)
        self._stages[progress.stage][request.id] = progress

    def remove(self, request_id: int) -> None:
        """Leave a request off.

        Raises:
            KeyError: it is not in work.
        """
        stage = self.stage(request_id)
        if stage is None:
            raise KeyError(request_id)
        del self._stages[stage][request_id]

    def unseen(self) -> tuple[int, int]:
        """Return how many pages wait for the encoder, and how many tiles they have."""
        tiles = [
            count
            for there in self._stages[Stage.VISION].values()
            for count in there.request.page_tiles[there.pages :]
        ]
        return len(tiles), sum(tiles)

    def vision_step(self, limits: Limits) -> VisionStep | None:
        """Return the next pages to encode: as many as fit, one at least if any waits."""
        taken: list[tuple[int, int]] = []
        tiles = 0
        for request_id, there in self._stages[Stage.VISION].items():
            for page in range(there.pages, len(there.request.page_tiles)):
                tiles += there.request.page_tiles[page]
                is_full = len(taken) == limits.encoder_pages or tiles > limits.encoder_tiles
                if taken and is_full:
                    return VisionStep(tuple(taken))
                taken.append((request_id, page))
        return VisionStep(tuple(taken)) if taken else None

    def prefill_step(self, limits: Limits) -> PrefillStep | None:
        """Return the next runs of prompts."""
        chunks = []
        room = limits.prefill_tokens
        for request_id, there in self._stages[Stage.PREFILL].items():
            left = there.request.prompt_tokens - there.prompt
            length = min(left, room)
            chunks.append(Chunk(request_id, there.prompt, length, length == left))
            room -= length
            if not room:
                break
        return PrefillStep(tuple(chunks)) if chunks else None

    def decode_step(self, limits: Limits) -> DecodeStep | None:
        """Return the next tokens to write, for all that write."""
        writing = self._stages[Stage.DECODE]
        if not writing:
            return None
        least = min(there.left for there in writing.values())
        return DecodeStep(tuple(writing), min(limits.decode_tokens, least))

    def advance(self, step: Step) -> list[int]:
        """Note that `step` has run; return the requests that have no token left to write.

        Requests of the step that are no longer in work are passed over.
        """
        if isinstance(step, DecodeStep):
            return self._write(step)
        if isinstance(step, VisionStep):
            for request_id, _ in step.pages:
                self._move(Stage.VISION, request_id, pages=1)
            return []
        ended = []
        for run in step.chunks:
            there = self._move(Stage.PREFILL, run.id, prompt=run.length, written=int(run.is_last))
            if there is not None and not there.left:
                ended.append(run.id)
        return ended

    def _write(self, step: DecodeStep) -> list[int]:
        # Hundreds of requests pass here in each step, many times a second.
        ended, writing = [], self._stages[Stage.DECODE]
        for request_id in step.ids:
            there = writing.get(request_id)
            if there is not None:
                there.left -= step.tokens
                if not there.left:
                    ended.append(request_id)
        return ended

    def _move(
        self, stage: Stage, request_id: int, *, pages: int = 0, prompt: int = 0, written: int = 0
    ) -> Progress | None:
        there = self._stages[stage].get(request_id)
        if there is None:
            return None
        there.pages += pages
        there.prompt += prompt
        there.left -= written
        if there.stage is not stage:
            del self._stages[stage][request_id]
            self._stages[there.stage][request_id] = there
        return there
