"""A real server whose engine writes its text word by word."""

import asyncio
from typing import Any

from docparser_api.names import PATH_PARSE
from integration.runtime.processes import Program, environment, serving
from unit.runtime.doubles import eventually

from .client import blank_pdf
from .conftest import Cluster, Connect

TEXT = "It is written word by word. " * 40


def writing(milliseconds: int, **limits: Any) -> dict[str, Any]:
    """Return limits with which the engine takes so long to write a page."""
    fake = {"generates": True, "pageMilliseconds": milliseconds, "text": TEXT}
    return {"fake": fake, **limits}


async def test_text_comes_as_it_is_written_and_pages_have_the_last_word(connect: Connect) -> None:
    async with serving(environment(**writing(400))) as program:
        clock = asyncio.get_running_loop().time
        events = [(clock(), event) async for event in connect(program).stream(blank_pdf(3))]
        names = [event.name for _, event in events]
        assert [name for name in names if name not in {"status", "delta"}] == ["page"] * 3 + [
            "done"
        ]
        assert names[-1] == "done"
        for index in range(3):
            deltas = [(at, e) for at, e in events if e.name == "delta" and e.data["index"] == index]
            page = next(
                (at, e) for at, e in events if e.name == "page" and e.data["index"] == index
            )
            assert len(deltas) >= 3
            assert page[1].data["markdown"].startswith("".join(e.data["text"] for _, e in deltas))
            assert page[1].data["generated_tokens"] == len(TEXT.split())
            assert deltas[-1][0] <= page[0]
        assert await program.metric("docparser_generated_tokens_total") == 3 * len(TEXT.split())
        assert await program.metric("docparser_time_to_first_token_seconds_count") == 3


async def test_leaving_in_the_midst_of_a_page_frees_the_engine(connect: Connect) -> None:
    async with serving(environment(**writing(60_000, maxConcurrency=1))) as program:
        events = connect(program).stream(blank_pdf(2))
        async for event in events:
            if event.name == "delta":
                break
        await events.aclose()
        clock = asyncio.get_running_loop().time
        left = clock()
        await eventually(lambda: _is_idle(program), 10)
        print(f"the engine was free {clock() - left:.2f} s after the client had left")
        assert clock() - left <= 2
        assert await program.metric("docparser_pages_total") == 0


async def test_a_gateway_knows_what_its_workers_can_do(cluster: Cluster, connect: Connect) -> None:
    limits = cluster.environment(**writing(100))
    async with (
        serving(limits, role="gateway") as gateway,
        serving(limits, role="worker"),
        serving(cluster.environment(), role="gateway") as other,
    ):
        through, refusing = connect(gateway), connect(other)
        files = {"file": ("a.pdf", blank_pdf(1))}
        asked = {"max_new_tokens": "5", "tier": "low"}
        answer = await through.http.post(PATH_PARSE, files=files, data=asked)
        page = answer.json()["pages"][0]
        assert (page["tier"], page["vision_tokens"]) == ("low", 256)
        assert (page["markdown"].split(), page["truncated"]) == (TEXT.split()[:5], True)
        answer = await refusing.http.post(PATH_PARSE, files=files, data=asked)
        assert (answer.status_code, answer.json()["code"]) == (422, "unsupported_parameter")


async def test_a_gateway_tells_what_its_workers_write(cluster: Cluster, connect: Connect) -> None:
    limits = cluster.environment(**writing(3000))
    async with serving(limits, role="gateway") as gateway, serving(limits, role="worker"):
        events = [event async for event in connect(gateway).stream(blank_pdf(2))]
        names = [event.name for event in events if event.name != "status"]
        assert [name for name in names if name != "delta"] == ["page", "page", "done"]
        for index in range(2):
            of_page = [event for event in events if event.data.get("index") == index]
            *deltas, page = of_page
            assert (page.name, len(deltas) >= 3) == ("page", True)
            assert page.data["markdown"].startswith("".join(one.data["text"] for one in deltas))


async def _is_idle(program: Program) -> bool:
    return await program.metric("docparser_requests_running") == 0
