"""Writes that wait for the same lock anyway share one transaction, hence one sync of the disk."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from docparser_runtime.errors import DocParserError
from docparser_runtime.queue.base import LostClaim

T = TypeVar("T")
Rule = Callable[[Connection], T]
"""A rule of the queue: what it does in a transaction. One that refuses has written nothing."""

REFUSALS = (DocParserError, LostClaim)
_MOST_IN_GROUP = 64


@dataclass(frozen=True)
class Outcome:
    """What came of a rule: a value, or why it was refused."""

    value: Any = None
    refusal: Exception | None = None


def outcomes(connection: Connection, rules: Sequence[Rule[Any]]) -> list[Outcome]:
    """Return what came of each of the rules, applied in this order in one transaction."""
    return [_outcome(connection, rule) for rule in rules]


def _outcome(connection: Connection, rule: Rule[Any]) -> Outcome:
    try:
        return Outcome(rule(connection))
    except REFUSALS as refusal:
        return Outcome(refusal=refusal)


class Grouping:
    """Applies rules one after the other; those that came meanwhile share a transaction.

    Args:
        apply: applies some rules in one transaction and returns their outcomes once they are safe.
    """

    def __init__(self, apply: Callable[[Sequence[Rule[Any]]], Awaitable[list[Outcome]]]) -> None:
        self._apply = apply
        self._waiting: deque[tuple[Rule[Any], asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def write(self, rule: Rule[T]) -> T:
        """Return what the rule returns, once it is safe; raise what it raises."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((rule, future))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await future

    async def close(self) -> None:
        """Return once everything that was asked for is done."""
        if self._worker is not None:
            await self._worker

    async def _work(self) -> None:
        try:
            while self._waiting:
                taken = [self._waiting.popleft() for _ in range(self._group_size())]
                # Whoever gave up while waiting gets nothing done.
                await self._settle([(rule, future) for rule, future in taken if not future.done()])
        finally:
            self._worker = None

    def _group_size(self) -> int:
        return min(len(self._waiting), _MOST_IN_GROUP)

    async def _settle(self, group: Sequence[tuple[Rule[Any], asyncio.Future[Any]]]) -> None:
        try:
            results = await self._apply([rule for rule, _ in group])
        except Exception as failure:  # noqa: BLE001 (each of those who wait is told)
            if len(group) > 1 and not isinstance(failure, DocParserError):
                # One of them is at fault; the others shall not pay for it.
                for single in group:
                    await self._settle([single])
                return
            results = [Outcome(refusal=failure)] * len(group)
        for (_, future), outcome in zip(group, results, strict=True):
            if future.done():
                continue
            if outcome.refusal is not None:
                future.set_exception(outcome.refusal)
            else:
                future.set_result(outcome.value)
