"""Services that are older or newer than the client."""

import httpx
from docparser_runtime.schemas import PageBody, SummaryBody
from pydantic import BaseModel
from unit.runtime.client.scripts import RESPONSE, Asking, Script

LATER: dict[type[BaseModel], set[str]] = {
    PageBody: {"truncated", "repetition", "rotation_degrees"},
    SummaryBody: {"truncated", "repetition", "repaired"},
}
"""Fields that answers did not have from the start."""


async def test_an_older_service_is_understood(client: Asking) -> None:
    (page,) = RESPONSE["pages"]
    older = {name: value for name, value in RESPONSE.items() if name not in LATER[SummaryBody]}
    older["pages"] = [{name: page[name] for name in page if name not in LATER[PageBody]}]
    found = await client.ask(Script([httpx.Response(200, json=older)]), "result", "t1")
    assert (found.repaired, found.pages[0].rotation_degrees) == (False, 0.0)


def test_the_service_itself_always_sends_them() -> None:
    for body, later in LATER.items():
        assert later <= set(body.model_json_schema(mode="serialization")["required"])
