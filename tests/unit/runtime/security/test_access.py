"""Who is let in, and what the others are told."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from docparser_api.names import PATH_CONFIG
from docparser_runtime.boundary import CLUSTER_PATHS
from unit.runtime.doubles import PARSE, a_document
from unit.runtime.security.doors import KEYS, Guarded, entry, tokens_file

Guard = Callable[..., Guarded]
LET_IN = {200, 404}
"""What is answered behind the door; 404 where there are no tasks."""


async def test_each_token_opens_the_door(guard: Guard, tmp_path: Path) -> None:
    guarded = guard(file=tokens_file(tmp_path, entry("one"), entry("two")))
    for name in ("one", "two"):
        assert (await guarded.parse(guarded.client(KEYS[name]))).status_code == 200
    refusal = await guarded.parse(guarded.client(KEYS["admin"]))
    assert (refusal.status_code, refusal.json()["code"]) == (401, "unauthorized")
    assert refusal.headers["www-authenticate"].startswith("Bearer")


async def test_a_token_that_is_taken_away_opens_nothing(guard: Guard, tmp_path: Path) -> None:
    guarded = guard(file=tokens_file(tmp_path, entry("one")))
    client = guarded.client(KEYS["one"])
    assert (await guarded.parse(client)).status_code == 200
    tokens_file(tmp_path)
    guarded.security.tokens.reload()
    assert (await guarded.parse(client)).status_code == 401


async def test_documents_need_the_scope_parse(guard: Guard, tmp_path: Path) -> None:
    guarded = guard(file=tokens_file(tmp_path, entry("admin", scopes=["admin"])))
    client = guarded.client(KEYS["admin"])
    refusal = await guarded.parse(client)
    assert (refusal.status_code, refusal.json()["code"]) == (403, "forbidden")
    assert (await client.get(PATH_CONFIG)).status_code == 200
    assert guarded.audited() == [
        {
            "event": "audit",
            "action": "authenticate",
            "outcome": "forbidden",
            "tenant": "admin",
            "client": "192.0.2.1",
        }
    ]


async def test_the_limit_is_the_tenants_and_retry_after_is_exact(
    guard: Guard, tmp_path: Path
) -> None:
    limited = entry("one", requests_per_minute=2)
    other = entry("one", requests_per_minute=2) | {"token": "another-token-of-one"}
    guarded = guard(file=tokens_file(tmp_path, limited, other, entry("two")))
    clients = [guarded.client(KEYS["one"]), guarded.client("another-token-of-one")]
    assert [(await guarded.parse(client)).status_code for client in clients] == [200, 200]
    refusal = await guarded.parse(clients[0])
    assert (refusal.status_code, refusal.json()["code"]) == (429, "rate_limited")
    assert refusal.headers["retry-after"] == "30"
    assert (await guarded.parse(guarded.client(KEYS["two"]))).status_code == 200
    guarded.clock.sleep(29.9)
    assert (await guarded.parse(clients[0])).headers["retry-after"] == "1"
    guarded.clock.sleep(0.1)
    assert [(await guarded.parse(client)).status_code for client in clients] == [200, 429]


async def test_a_refusal_comes_before_the_body(guard: Guard, tmp_path: Path) -> None:
    guarded = guard(file=tokens_file(tmp_path, entry("one", requests_per_minute=1)))
    read: list[int] = []

    async def body() -> AsyncIterator[bytes]:
        read.append(1)
        yield a_document()

    first, second = guarded.client(KEYS["one"]), guarded.client("nobody")
    kind = {"content-type": "application/pdf"}
    assert (await first.post(PARSE, content=body(), headers=kind)).status_code == 200
    assert read == [1]
    assert (await first.post(PARSE, content=body(), headers=kind)).status_code == 429
    assert (await second.post(PARSE, content=body(), headers=kind)).status_code == 401
    assert read == [1]


async def test_pages_are_paid_for_afterwards(guard: Guard, tmp_path: Path) -> None:
    guarded = guard(file=tokens_file(tmp_path, entry("one", pages_per_minute=60), entry("two")))
    client = guarded.client(KEYS["one"])
    assert (await guarded.parse(client, pages=90)).status_code == 200
    refusal = await guarded.parse(client)
    assert (refusal.status_code, refusal.json()["code"]) == (429, "rate_limited")
    assert refusal.headers["retry-after"] == "31"
    assert (await guarded.parse(guarded.client(KEYS["two"]), pages=90)).status_code == 200
    guarded.clock.sleep(31)
    assert (await guarded.parse(client)).status_code == 200


async def test_a_token_without_a_limit_has_that_of_the_configuration(
    guard: Guard, tmp_path: Path
) -> None:
    file = tokens_file(tmp_path, entry("one", requests_per_minute=2), entry("two"))
    guarded = guard(file=file, requests_per_minute=1)
    codes = [
        (await guarded.parse(guarded.client(KEYS[name]))).status_code
        for name in ("one", "one", "one", "two", "two")
    ]
    assert codes == [200, 200, 429, 200, 429]


async def test_an_address_may_fail_so_often_and_valid_tokens_pass_all_the_same(
    guard: Guard, tmp_path: Path
) -> None:
    guarded = guard(file=tokens_file(tmp_path, entry("one")))
    stranger = guarded.client("nobody")
    codes = [(await stranger.get("/config")).status_code for _ in range(62)]
    assert codes == [401] * 60 + [429] * 2
    refusal = await stranger.get("/config")
    assert (refusal.json()["code"], refusal.headers["retry-after"]) == ("rate_limited", "1")
    assert len(guarded.audited()) == 60
    assert (await guarded.client(KEYS["one"]).get("/config")).status_code == 200
    elsewhere = guarded.client("nobody", address="192.0.2.2")
    assert (await elsewhere.get("/config")).status_code == 401
    guarded.clock.sleep(1)
    assert (await stranger.get("/config")).status_code == 401


async def test_only_allowed_addresses_come_in(guard: Guard) -> None:
    guarded = guard(token="s3cr3t", allowed_cidrs=["198.51.100.0/24", "2001:db8::/32"])
    for address in ("198.51.100.9", "::ffff:198.51.100.9", "2001:db8::9"):
        client = guarded.client("s3cr3t", address=address)
        assert (await guarded.parse(client)).status_code == 200
    for address in ("192.0.2.1", "2001:db9::1", "unix"):
        client = guarded.client("s3cr3t", address=address)
        refusal = await guarded.parse(client)
        assert (refusal.status_code, refusal.json()["code"]) == (403, "forbidden")
        for path in CLUSTER_PATHS:
            assert (await client.get(path)).status_code in LET_IN
    assert [line["client"] for line in guarded.audited()] == ["192.0.2.1", "2001:db9::1", "None"]


async def test_only_trusted_proxies_say_for_whom_they_speak(guard: Guard) -> None:
    guarded = guard(allowed_cidrs=["198.51.100.0/24"], trusted_proxies=["10.0.0.0/8"])
    told = {"x_forwarded_for": "198.51.100.9"}
    through_proxy = guarded.client(address="10.0.0.1", **told)
    assert (await guarded.parse(through_proxy)).status_code == 200
    for client in (
        guarded.client(address="192.0.2.1", **told),
        guarded.client(address="10.0.0.1"),
        guarded.client(address="10.0.0.1", x_forwarded_for="198.51.100.9, 192.0.2.1"),
        guarded.client(address="10.0.0.1", x_forwarded_for="nonsense"),
    ):
        assert (await guarded.parse(client)).status_code == 403


async def test_where_certificates_are_wanted_a_connection_without_one_may_only_probe(
    guard: Guard,
) -> None:
    guarded = guard(wants_certificate=True)
    client = guarded.client()
    refusal = await guarded.parse(client)
    assert (refusal.status_code, refusal.json()["code"]) == (403, "forbidden")
    for path in CLUSTER_PATHS:
        assert (await client.get(path)).status_code in LET_IN


@pytest.mark.parametrize("header", [None, "Basic x", "Bearer", "Bearer nobody", "nobody"])
async def test_a_failure_is_audited_without_what_was_sent(guard: Guard, header: str | None) -> None:
    guarded = guard(token="s3cr3t")
    headers = {} if header is None else {"authorization": header}
    await guarded.parse(guarded.client(**headers))
    (line,) = guarded.service.log_lines("audit")
    (request,) = guarded.service.log_lines("request")
    assert line["request_id"] == request["request_id"]
    assert guarded.audited() == [
        {
            "event": "audit",
            "action": "authenticate",
            "outcome": "unauthorized",
            "client": "192.0.2.1",
        }
    ]
