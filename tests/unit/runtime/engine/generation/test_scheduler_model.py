"""Requests come, go and run in any order: nothing is lost, given out twice or left waiting."""

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
from docparser_runtime.engine.generation.scheduler import Scheduler, TooLarge
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule


@dataclass
class Seen:
    """What the steps have done for a request."""

    request: Request
    pages: int = 0
    prompt: int = 0
    written: int = 0


class SchedulerMachine(RuleBasedStateMachine):
    @initialize(blocks=st.integers(20, 100), sequences=st.integers(1, 5), aside=st.booleans())
    def start(self, blocks: int, sequences: int, aside: bool) -> None:  # noqa: FBT001
        self.blocks = blocks
        self.limits = Limits(sequences, 2, 8, 300)
        self.scheduler = Scheduler(self.limits, blocks, encodes_aside=aside)
        self.aside = aside
        self.vision: VisionStep | None = None
        self.live: dict[int, Seen] = {}
        self.step: Step | None = None
        self.number = 0

    @rule(
        tiles=st.lists(st.integers(0, 9), max_size=4).map(tuple),
        prompt=st.integers(1, 900),
        new=st.integers(1, 60),
        window=st.sampled_from((None, 128)),
        share=st.sampled_from("abc"),
    )
    def submit(
        self, tiles: tuple[int, ...], prompt: int, new: int, window: int | None, share: str
    ) -> None:
        self.number += 1
        request = Request(self.number, share, tiles, prompt, new, window, weight=1 + new % 3)
        try:
            self.scheduler.submit(request)
        except TooLarge:
            assert request.blocks > self.blocks
        else:
            self.live[request.id] = Seen(request)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.live)))
        self.scheduler.end(number)
        del self.live[number]

    @precondition(lambda self: self.step is None)
    @rule()
    def schedule(self) -> None:
        self.step = self.scheduler.schedule()
        if self.aside:
            assert not isinstance(self.step, VisionStep)
        else:
            assert (self.step is None) == (not self.live)
        if isinstance(self.step, VisionStep):
            self.check_pages(self.step)
        elif isinstance(self.step, PrefillStep):
            assert sum(run.length for run in self.step.chunks) <= self.limits.prefill_tokens
            assert len({run.id for run in self.step.chunks}) == len(self.step.chunks)
        elif isinstance(self.step, DecodeStep):
            assert 1 <= self.step.tokens <= self.limits.decode_tokens

    @precondition(lambda self: self.aside and self.vision is None)
    @rule()
    def schedule_vision(self) -> None:
        self.vision = self.scheduler.schedule_vision()
        if self.vision is not None:
            self.check_pages(self.vision)

    @precondition(lambda self: self.vision is not None)
    @rule()
    def run_vision(self) -> None:
        step, self.vision = self.vision, None
        assert step is not None
        self.scheduler.ran_vision()
        for number, page in step.pages:
            self.see_page(number, page)

    def check_pages(self, step: VisionStep) -> None:
        tiles = sum(self.live[number].request.page_tiles[page] for number, page in step.pages)
        assert len(step.pages) == 1 or tiles <= self.limits.encoder_tiles
        assert len(step.pages) <= self.limits.encoder_pages

    @precondition(lambda self: self.step is not None)
    @rule(seconds=st.sampled_from((0.0, 0.001, 0.3)))
    def run(self, seconds: float) -> None:
        step, self.step = self.step, None
        over = self.scheduler.ran(seconds)
        if isinstance(step, VisionStep):
            for number, page in step.pages:
                self.see_page(number, page)
        elif isinstance(step, PrefillStep):
            for chunk in step.chunks:
                self.see_chunk(chunk)
        elif isinstance(step, DecodeStep):
            for number in step.ids:
                self.see_tokens(number, step.tokens)
        done = {
            number
            for number, seen in self.live.items()
            if seen.written == seen.request.max_new_tokens
        }
        assert done == {*over}
        for number in over:
            del self.live[number]

    def see_page(self, number: int, page: int) -> None:
        if number in self.live:
            assert page == self.live[number].pages
            self.live[number].pages += 1

    def see_chunk(self, chunk: Chunk) -> None:
        if chunk.id in self.live:
            seen = self.live[chunk.id]
            assert seen.pages == len(seen.request.page_tiles)
            assert chunk.start == seen.prompt
            seen.prompt += chunk.length
            assert chunk.is_last == (seen.prompt == seen.request.prompt_tokens)
            seen.written += chunk.is_last

    def see_tokens(self, number: int, tokens: int) -> None:
        if number in self.live:
            seen = self.live[number]
            assert seen.prompt == seen.request.prompt_tokens
            seen.written += tokens
            assert seen.written <= seen.request.max_new_tokens

    @invariant()
    def blocks_are_conserved(self) -> None:
        if not hasattr(self, "scheduler"):
            return
        stages = {number: self.scheduler.stage(number) for number in self.live}
        assert None not in stages.values()
        working = [number for number, stage in stages.items() if stage is not Stage.WAITING]
        assert len(working) <= self.limits.sequences
        tables = [self.scheduler.block_table(number) for number in working]
        for number, table in zip(working, tables, strict=True):
            assert len(table) == self.live[number].request.blocks
        owned = [block for table in tables for block in table]
        assert len({*owned}) == len(owned)
        assert {*owned} <= {*range(1, self.blocks + 1)}
        assert self.scheduler.free_blocks + len(owned) == self.blocks

    def teardown(self) -> None:
        """Everything that still waits comes to its end."""
        if not hasattr(self, "scheduler"):
            return
        for _ in range(5000):
            if self.aside and self.vision is None:
                self.schedule_vision()
            if self.step is None:
                self.schedule()
            if self.step is None and self.vision is None:
                break
            if self.vision is not None:
                self.run_vision()
            if self.step is not None:
                self.run(0.01)
        assert not self.live
        assert self.scheduler.is_idle
        assert self.scheduler.free_blocks == self.blocks


TestScheduler = SchedulerMachine.TestCase
TestScheduler.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
