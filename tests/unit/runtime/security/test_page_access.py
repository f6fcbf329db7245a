"""The web page comes without a token, but not to everybody."""

from collections.abc import Callable

from unit.runtime.security.doors import Guarded

Guard = Callable[..., Guarded]


async def test_the_page_comes_before_the_token(guard: Guard) -> None:
    guarded = guard(token="s3cr3t", requests_per_minute=1)
    stranger = guarded.client()
    for path in ("/", "/page/main.js", "/page/base.css"):
        assert (await stranger.get(path)).status_code == 200
    assert (await stranger.get("/page/nothing.js")).status_code == 401
    assert (await stranger.get("/docs")).status_code == 401


async def test_the_page_comes_to_allowed_addresses_only(guard: Guard) -> None:
    guarded = guard(allowed_cidrs=["198.51.100.0/24"])
    assert (await guarded.client(address="198.51.100.9").get("/")).status_code == 200
    refusal = await guarded.client(address="192.0.2.1").get("/page/main.js")
    assert (refusal.status_code, refusal.json()["code"]) == (403, "forbidden")
    assert [line["client"] for line in guarded.audited()] == ["192.0.2.1"]
