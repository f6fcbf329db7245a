import asyncio
from copy import deepcopy
from typing import Any

import pytest
from docparser_api.resource import custom_resource_definition
from docparser_operator.errors import ApiError, NotFoundError, UnavailableError
from docparser_operator.kinds import DOC_PARSER, Kind, Manifest
from docparser_operator.schema_gate import SchemaError, SchemaGate

KNOWN = custom_resource_definition()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
NAMED = [{"group": "docparser.dev", "version": "v1alpha1", "kind": "DocParserDeployment"}]
UNPUBLISHED: Manifest = {"components": {"schemas": {}}}


def published(*, complete: bool) -> Manifest:
    """The document of a cluster whose schema has all fields, or lacks one."""
    schema = deepcopy({**KNOWN, "x-kubernetes-group-version-kind": NAMED})
    if not complete:
        del schema["properties"]["spec"]["properties"]["rollout"]
    return {"components": {"schemas": {"DocParserDeployment": schema}}}


class Answers:
    """A cluster that gives one answer after the other, the last one for ever; and what is told."""

    def __init__(self, *answers: Manifest | Exception) -> None:
        self._rest = iter(answers)
        self._last = answers[-1]
        self.over = asyncio.Event()
        self.asked: list[Kind] = []
        self.told: list[str] = []

    async def openapi(self, kind: Kind) -> Manifest:
        self.asked.append(kind)
        found = next(self._rest, None)
        if found is None:
            self.over.set()
            found = self._last
        if isinstance(found, Exception):
            raise found
        return found


async def running(answers: Answers) -> tuple[SchemaGate, "asyncio.Task[None]"]:
    """A gate that has had all answers once, and its task."""
    gate = SchemaGate(answers, answers.told.append, recheck_seconds=0, retry_seconds=0)
    task = asyncio.create_task(gate.run())
    over = asyncio.create_task(answers.over.wait())
    await asyncio.wait([task, over], timeout=5, return_when=asyncio.FIRST_COMPLETED)
    over.cancel()
    return gate, task


async def test_it_opens_where_every_field_is_known() -> None:
    answers = Answers(published(complete=True))
    gate, task = await running(answers)
    assert set(answers.asked) == {DOC_PARSER}
    assert gate.fits.is_set()
    assert not task.done()
    task.cancel()


FAULTS: dict[str, Any] = {
    "lost field": published(complete=False),
    "unpublished": UNPUBLISHED,
    "no definition": NotFoundError(404, "not found"),
    "forbidden": ApiError(403, "not you"),
    "away": UnavailableError("away"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_it_stays_shut_and_says_why_once(fault: str) -> None:
    answers = Answers(FAULTS[fault], FAULTS[fault])
    gate, task = await running(answers)
    assert not gate.fits.is_set()
    assert not task.done()
    task.cancel()
    (words,) = answers.told
    assert ("spec.rollout" in words) == (fault == "lost field")


@pytest.mark.parametrize("fault", FAULTS)
async def test_it_opens_as_soon_as_the_fault_is_gone(fault: str) -> None:
    gate, task = await running(Answers(FAULTS[fault], published(complete=True)))
    assert gate.fits.is_set()
    task.cancel()


async def test_a_schema_that_shrinks_at_work_ends_the_operator() -> None:
    answers = Answers(published(complete=True), published(complete=False))
    _gate, task = await running(answers)
    with pytest.raises(SchemaError, match=r"spec\.rollout"):
        await task


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"lost field"}))
async def test_a_schema_that_cannot_be_read_at_work_is_waited_for(fault: str) -> None:
    gate, task = await running(Answers(published(complete=True), FAULTS[fault]))
    assert gate.fits.is_set()
    assert not task.done()
    task.cancel()
