"""Rules that share a transaction do not share their fate."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from docparser_runtime.queue.base import LostClaim
from docparser_runtime.queue.grouping import Grouping, Outcome, Rule, outcomes
from docparser_runtime.task_errors import QueueUnavailable
from sqlalchemy import Connection, create_engine, text


class Groups:
    """A database in memory that notes how many rules came together."""

    def __init__(self, connection: Connection) -> None:
        self.sizes: list[int] = []
        self.outage: Exception | None = None
        self._connection = connection

    async def apply(self, rules: Sequence[Rule[Any]]) -> list[Outcome]:
        self.sizes.append(len(rules))
        await asyncio.sleep(0)
        if self.outage is not None:
            raise self.outage
        return outcomes(self._connection, rules)


@pytest.fixture
def groups() -> Iterator[Groups]:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        yield Groups(connection)
    engine.dispose()


def one(connection: Connection) -> int:
    return int(connection.execute(text("SELECT 1")).scalar_one())


def refused(_connection: Connection) -> int:
    raise LostClaim


def wrong(connection: Connection) -> int:
    return int(connection.execute(text("SELECT 1 / no_such_column")).scalar_one())


async def test_what_comes_while_one_is_applied_goes_together(groups: Groups) -> None:
    grouping = Grouping(groups.apply)
    first = asyncio.create_task(grouping.write(one))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await asyncio.gather(first, *(grouping.write(one) for _ in range(5))) == [1] * 6
    assert groups.sizes == [1, 5]


async def test_a_refusal_is_told_to_its_own_only(groups: Groups) -> None:
    grouping = Grouping(groups.apply)
    told = await asyncio.gather(
        *(grouping.write(rule) for rule in (one, refused, one)), return_exceptions=True
    )
    assert [told[0], type(told[1]), told[2]] == [1, LostClaim, 1]
    assert groups.sizes == [3]


async def test_a_wrong_statement_fails_its_own_only(groups: Groups) -> None:
    grouping = Grouping(groups.apply)
    told = await asyncio.gather(
        *(grouping.write(rule) for rule in (one, wrong, one)), return_exceptions=True
    )
    assert [told[0], told[2]] == [1, 1]
    assert isinstance(told[1], Exception)
    assert groups.sizes == [3, 1, 1, 1]


async def test_an_outage_is_tried_once_for_all(groups: Groups) -> None:
    groups.outage = QueueUnavailable("gone")
    grouping = Grouping(groups.apply)
    told = await asyncio.gather(*(grouping.write(one) for _ in range(3)), return_exceptions=True)
    assert [type(failure) for failure in told] == [QueueUnavailable] * 3
    assert groups.sizes == [3]


async def test_who_gave_up_gets_nothing_done(groups: Groups) -> None:
    grouping = Grouping(groups.apply)
    first, second = [asyncio.create_task(grouping.write(one)) for _ in range(2)]
    await asyncio.sleep(0)
    second.cancel()
    assert await first == 1
    await grouping.close()
    assert groups.sizes == [1]
