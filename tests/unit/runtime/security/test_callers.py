"""Scopes in routes, and who has which where nobody is asked for a token."""

from collections.abc import Callable
from pathlib import Path

import pytest
from docparser_runtime.security import audit
from docparser_runtime.security.callers import InCaller, needs
from docparser_runtime.task_errors import TaskEnded
from fastapi import APIRouter, Depends, FastAPI, Request
from unit.runtime.security.doors import KEYS, Guarded, entry, tokens_file

Guard = Callable[..., Guarded]

router = APIRouter()


@router.get("/who")
async def who(caller: InCaller) -> list[str]:
    return [caller.tenant, *sorted(caller.scopes)]


@router.get("/rule", dependencies=[Depends(needs("admin"))])
async def rule(request: Request) -> str:
    with audit.recorded(request, "admin"):
        return "ruled"


@router.post("/submit")
async def submit(request: Request) -> str:
    with audit.recorded(request, "submit") as line:
        line.task_id = "t-1"
    return "submitted"


@router.delete("/cancel/{ending}")
async def cancel(request: Request, ending: str) -> None:
    with audit.recorded(request, "cancel", "t-2"):
        if ending == "refused":
            raise TaskEnded("canary")
        raise RuntimeError("canary")


@pytest.fixture
def routed(guard: Guard) -> Guard:
    """Return what `guard` does, with the routes above."""

    def guard_routes(**rules: object) -> Guarded:
        guarded = guard(**rules)
        app = guarded.app
        assert isinstance(app, FastAPI)
        app.include_router(router)
        return guarded

    return guard_routes


@pytest.mark.parametrize(
    ("address", "headers", "scopes"),
    [
        ("127.0.0.1", {}, ["admin", "parse"]),
        ("::1", {}, ["admin", "parse"]),
        ("::ffff:127.0.0.1", {}, ["admin", "parse"]),
        ("127.0.0.6", {}, ["parse"]),
        ("192.0.2.1", {}, ["parse"]),
        ("127.0.0.1", {"x_forwarded_for": "127.0.0.1"}, ["parse"]),
    ],
)
async def test_without_tokens_the_owner_of_the_machine_rules(
    routed: Guard, address: str, headers: dict[str, str], scopes: list[str]
) -> None:
    guarded = routed()
    client = guarded.client(address=address, **headers)
    assert (await client.get("/who")).json() == ["default", *scopes]
    assert (await client.get("/rule")).status_code == (200 if "admin" in scopes else 403)


async def test_nobody_becomes_local_by_the_word_of_a_proxy(routed: Guard) -> None:
    guarded = routed(trusted_proxies=["10.0.0.0/8"])
    client = guarded.client(address="10.0.0.1", x_forwarded_for="127.0.0.1")
    assert (await client.get("/who")).json() == ["default", "parse"]


async def test_a_route_may_need_a_scope(routed: Guard, tmp_path: Path) -> None:
    file = tokens_file(tmp_path, entry("one"), entry("admin", scopes=["admin"]))
    guarded = routed(file=file)
    refusal = await guarded.client(KEYS["one"]).get("/rule")
    assert (refusal.status_code, refusal.json()["code"]) == (403, "forbidden")
    assert (await guarded.client(KEYS["admin"]).get("/rule")).json() == "ruled"
    assert (await guarded.client(KEYS["one"]).get("/who")).json() == ["one", "parse"]


async def test_the_one_token_may_do_everything(routed: Guard) -> None:
    client = routed(token="s3cr3t").client("s3cr3t")
    assert (await client.get("/who")).json() == ["default", "admin", "parse"]


async def test_changes_are_audited_with_their_end(routed: Guard, tmp_path: Path) -> None:
    guarded = routed(file=tokens_file(tmp_path, entry("one"), entry("admin", scopes=["admin"])))
    client = guarded.client(KEYS["one"], address="2001:db8::1")
    await client.post("/submit")
    await client.delete("/cancel/refused")
    await client.delete("/cancel/failed")
    await guarded.client(KEYS["admin"]).get("/rule")
    lines = [
        (line["action"], line["outcome"], line["tenant"], line["client"], line.get("task_id"))
        for line in guarded.audited()
    ]
    assert lines == [
        ("submit", "ok", "one", "2001:db8::1", "t-1"),
        ("cancel", "task_ended", "one", "2001:db8::1", "t-2"),
        ("cancel", "internal_error", "one", "2001:db8::1", "t-2"),
        ("admin", "ok", "admin", "192.0.2.1", None),
    ]
    assert "canary" not in str(guarded.audited())
    assert not any(key in guarded.service.log.getvalue() for key in KEYS.values())
