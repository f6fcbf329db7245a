"""Text and pages on their way to a client that takes them when it likes."""

import asyncio
import threading

import pytest
from docparser_runtime.channel import Channel, End
from docparser_runtime.drafts import Delta, Drafts
from docparser_runtime.engine.base import PageResult
from docparser_runtime.page_engine import Page


def a_page(index: int) -> Page:
    return Page(index, 1, 1, PageResult("x"), 0.0)


def test_what_waits_of_a_page_is_joined() -> None:
    drafts = Drafts(lambda: None)
    for text in ("a", "b", "c"):
        drafts.wrote(0, text)
    drafts.wrote(1, "d")
    assert [drafts.taken(), drafts.taken(), drafts.taken()] == [
        Delta(0, "abc"),
        Delta(1, "d"),
        None,
    ]


def test_what_is_void_is_not_told() -> None:
    drafts = Drafts(lambda: None)
    drafts.wrote(0, "a")
    drafts.began_anew(0)
    drafts.wrote(0, "b")
    assert drafts.taken() == Delta(0, "b", restarts=True)
    drafts.wrote(0, "c")
    assert drafts.taken() == Delta(0, "c")


def test_threads_wake_the_client_once_for_all_that_waits() -> None:
    woken: list[int] = []
    drafts = Drafts(lambda: woken.append(1))

    def write(index: int) -> None:
        for _ in range(500):
            drafts.wrote(index, "x")

    threads = [threading.Thread(target=write, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(len(delta.text) for delta in iter(drafts.taken, None)) == 2000
    assert len(woken) == 1


async def test_a_page_that_was_read_goes_before_its_text() -> None:
    channel = Channel()
    channel.drafts.wrote(0, "of the page that was read")
    channel.drafts.wrote(1, "of the next one")
    await channel.put(a_page(0))
    assert await channel.take() == a_page(0)
    assert await channel.take() == Delta(1, "of the next one")


async def test_text_that_comes_fast_is_told_together_and_a_page_at_once() -> None:
    channel = Channel()
    channel.drafts.wrote(0, "a")
    assert await channel.take() == Delta(0, "a")
    channel.drafts.wrote(0, "b")
    taking = asyncio.create_task(channel.take())
    await asyncio.sleep(0)
    channel.drafts.wrote(0, "c")
    assert await taking == Delta(0, "bc")
    channel.drafts.wrote(0, "d")
    taking = asyncio.create_task(channel.take())
    await asyncio.sleep(0)
    await channel.put(a_page(0))
    assert await taking == a_page(0)


async def test_whoever_puts_waits_for_a_client_that_does_not_take() -> None:
    channel = Channel()
    for index in range(4):
        await channel.put(a_page(index))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(channel.put(End()), 0.01)
    putting = asyncio.create_task(channel.put(End()))
    taken = [await channel.take() for _ in range(5)]
    await putting
    assert taken == [*map(a_page, range(4)), End()]


async def test_a_thread_wakes_a_client_that_waits() -> None:
    channel = Channel()
    taking = asyncio.create_task(channel.take())
    await asyncio.sleep(0)
    await asyncio.to_thread(channel.drafts.wrote, 3, "x")
    assert await asyncio.wait_for(taking, 5) == Delta(3, "x")


def test_a_thread_may_outlive_the_loop() -> None:
    async def a_channel() -> Channel:
        return Channel()

    asyncio.run(a_channel()).drafts.wrote(0, "x")
