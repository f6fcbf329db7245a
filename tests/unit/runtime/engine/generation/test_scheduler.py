from collections.abc import Iterator

import pytest
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
from hypothesis import given, settings
from hypothesis import strategies as st

LIMITS = Limits(sequences=8, encoder_pages=2, encoder_tiles=12, prefill_tokens=1000)


def page(number: int, share: str = "a", weight: int = 1, new: int = 50) -> Request:
    return Request(number, share, (6,), 1130, new, weight=weight)


def run(scheduler: Scheduler, seconds: float = 0.01) -> Step | None:
    step = scheduler.schedule()
    if step is not None:
        scheduler.ran(seconds)
    return step


def steps(scheduler: Scheduler) -> Iterator[Step]:
    while step := run(scheduler):
        yield step


def test_the_life_of_a_page() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    scheduler.submit(page(1, new=12))
    assert scheduler.stage(1) is Stage.WAITING
    assert [*steps(scheduler)] == [
        VisionStep(((1, 0),)),
        PrefillStep((Chunk(1, 0, 1000, is_last=False),)),
        PrefillStep((Chunk(1, 1000, 130, is_last=True),)),
        # The prompt's end gives the first token.
        DecodeStep((1,), 8),
        DecodeStep((1,), 3),
    ]
    assert scheduler.is_idle
    assert scheduler.free_blocks == 100


def test_an_end_frees_blocks_at_once_at_every_stage() -> None:
    for before in range(5):
        scheduler = Scheduler(LIMITS, blocks=100)
        scheduler.submit(page(1))
        for _ in range(before):
            run(scheduler)
        scheduler.end(1)
        assert scheduler.free_blocks == 100
        assert scheduler.stage(1) is None
        with pytest.raises(KeyError):
            scheduler.end(1)


def test_a_request_may_end_while_its_step_runs() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    scheduler.submit(page(1))
    scheduler.submit(page(2))
    assert scheduler.schedule() == VisionStep(((1, 0), (2, 0)))
    scheduler.end(1)
    scheduler.ran(0.1)
    assert scheduler.stage(1) is None
    assert scheduler.stage(2) is Stage.PREFILL


def test_steps_run_one_after_the_other() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    with pytest.raises(RuntimeError):
        scheduler.ran(0.1)
    scheduler.submit(page(1))
    scheduler.schedule()
    with pytest.raises(RuntimeError):
        scheduler.schedule()


def test_what_can_never_run_is_refused_and_the_rest_waits_for_room() -> None:
    scheduler = Scheduler(LIMITS, blocks=40)
    with pytest.raises(TooLarge, match="41"):
        scheduler.submit(Request(1, "a", (0,), 32 * 41 - 1, 1))
    scheduler.submit(page(2))
    scheduler.submit(page(3))
    run(scheduler)
    assert (scheduler.stage(2), scheduler.stage(3)) == (Stage.PREFILL, Stage.WAITING)
    scheduler.end(2)
    assert run(scheduler) == VisionStep(((3, 0),))


def test_a_window_of_pages_is_seen_in_several_steps() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    scheduler.submit(Request(1, "a", (0,) * 5, 5 * 273, 9, window=128))
    scheduler.submit(page(2))
    seen = [run(scheduler) for _ in range(3)]
    assert seen == [
        VisionStep(((1, 0), (1, 1))),
        VisionStep(((1, 2), (1, 3))),
        VisionStep(((1, 4), (2, 0))),
    ]


def test_a_page_with_more_tiles_than_a_step_goes_alone() -> None:
    scheduler = Scheduler(LIMITS, blocks=1000)
    scheduler.submit(Request(1, "a", (24,), 2733, 9))
    scheduler.submit(page(2))
    assert run(scheduler) == VisionStep(((1, 0),))


def test_prompts_without_pages_need_no_encoder() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    scheduler.submit(Request(1, "a", (), 10, 9))
    scheduler.submit(Request(2, "a", (), 20, 9))
    wanted = PrefillStep((Chunk(1, 0, 10, is_last=True), Chunk(2, 0, 20, is_last=True)))
    assert run(scheduler) == wanted


def test_held_work_waits_and_begun_work_goes_on() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    scheduler.submit(page(1, new=9))
    run(scheduler)
    scheduler.submit(page(2))
    scheduler.admits = False
    assert [type(step) for step in steps(scheduler)] == [PrefillStep, PrefillStep, DecodeStep]
    assert scheduler.stage(2) is Stage.WAITING
    scheduler.admits = True
    assert run(scheduler) == VisionStep(((2, 0),))


def order_of_pages(scheduler: Scheduler) -> list[int]:
    seen = []
    for step in steps(scheduler):
        if isinstance(step, VisionStep):
            seen += [number for number, _ in step.pages]
    return seen


def test_a_short_document_does_not_wait_for_a_long_one() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    for number in range(20):
        scheduler.submit(page(number, "long"))
    run(scheduler)
    scheduler.submit(page(100, "short"))
    scheduler.submit(page(101, "short"))
    order = order_of_pages(scheduler)
    assert order.index(100) <= 1
    assert order.index(101) <= 3


def test_weights_share_the_machine() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    for number in range(12):
        scheduler.submit(page(number, "light"))
    for number in range(100, 112):
        scheduler.submit(page(number, "heavy", weight=3))
    first = order_of_pages(scheduler)[:12]
    assert sum(number >= 100 for number in first) == 9


def test_a_large_request_is_not_passed_for_ever() -> None:
    scheduler = Scheduler(LIMITS, blocks=100)
    scheduler.submit(page(0))
    run(scheduler)
    scheduler.submit(Request(1, "large", (), 3000, 9))
    for number in range(2, 30):
        scheduler.submit(page(number, "small"))
    ends: list[int] = []
    while not scheduler.is_idle:
        step = scheduler.schedule()
        assert step is not None
        ends += scheduler.ran(0.01)
    assert ends.index(1) < 5


@settings(max_examples=25, deadline=None)
@given(st.sampled_from((0.0, 0.05, 0.4)), st.sampled_from((0.0005, 0.01, 0.2)))
def test_neither_writing_nor_taking_in_starves(vision: float, decode: float) -> None:
    costs = {VisionStep: vision, PrefillStep: 0.02, DecodeStep: decode}
    scheduler = Scheduler(LIMITS, blocks=1000)
    for number in range(60):
        scheduler.submit(page(number, new=80))
    others_in_a_row, written_in_a_row = 0, 0.0
    while scheduler.count(Stage.WAITING):
        writing = scheduler.count(Stage.DECODE)
        has_room = writing + scheduler.count(Stage.VISION) + scheduler.count(Stage.PREFILL) < 8
        step = scheduler.schedule()
        assert step is not None
        seconds = costs[type(step)]
        scheduler.ran(seconds)
        if isinstance(step, DecodeStep):
            others_in_a_row = 0
            written_in_a_row = written_in_a_row + seconds if has_room else 0.0
        else:
            others_in_a_row += 1 if writing else 0
            written_in_a_row = 0.0
        assert others_in_a_row <= 1
        # Three times what it waited for, and the step that goes beyond.
        assert written_in_a_row <= 3 * max(vision, 0.02) + 2 * decode + 1e-9


def test_pages_may_be_encoded_while_others_are_written() -> None:
    scheduler = Scheduler(LIMITS, blocks=1000, encodes_aside=True)
    for number in range(9):
        scheduler.submit(page(number))
    assert scheduler.schedule() is None
    assert scheduler.schedule_vision() == VisionStep(((0, 0), (1, 0)))
    with pytest.raises(RuntimeError):
        scheduler.schedule_vision()
    scheduler.ran_vision()
    with pytest.raises(RuntimeError):
        scheduler.ran_vision()
    assert scheduler.schedule_vision() == VisionStep(((2, 0), (3, 0)))
    beside = [run(scheduler) for _ in range(4)]
    assert [type(step) for step in beside] == [PrefillStep, PrefillStep, DecodeStep, PrefillStep]
    scheduler.ran_vision()
    # Encoding stops where it would get too far ahead of the decoder.
    while scheduler.schedule_vision():
        scheduler.ran_vision()
    assert 4 <= scheduler.count(Stage.PREFILL) < 6
    assert scheduler.count(Stage.WAITING) > 0


def test_who_encodes_with_other_steps_does_not_do_so_aside() -> None:
    with pytest.raises(RuntimeError):
        Scheduler(LIMITS, blocks=10).schedule_vision()
