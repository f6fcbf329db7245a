"""Addresses that must not be reached: no connection is made, whatever form they come in."""

import pytest
from docparser_runtime.outbound.errors import UrlNotAllowed, UrlUnreachable
from docparser_runtime.outbound.policy import Policy, policy_of
from docparser_runtime.outbound.requests import Outbound
from support.web_receiver import Receiver, answered
from unit.runtime.outbound.conftest import Names, loopback, trusting_nobody

INWARD = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://2130706433:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0x7f.1:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://127.000.000.001:{port}/",
    "http://0.0.0.0:{port}/",
    "http://0:{port}/",
    "http://[::]:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[fe80::1%lo]:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://private.test:{port}/",
    "http://mixed.test:{port}/",
    "http://six.test:{port}/",
    "http://mapped.test:{port}/",
    "http://zone.test:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://168.63.129.16/",
    "http://metadata.test/computeMetadata/v1/",
    "http://public.test@127.0.0.1:{port}/",
    "http://public.test:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@public.test/",
    "http://@127.0.0.1:{port}/",
    "http://public.test\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\.public.test/",
    "http:\\\\127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:/127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}/",
    " http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/\r\nHost: public.test",
    "http://127.0.0.1\t:{port}/",
    "http://127%2e0.0.1:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://\uff11\uff12\uff17.0.0.1:{port}/",
    "http://127\u30020\u30020\u30021:{port}/",
    "http://\u24db\u24de\u24d2alhost:{port}/",
    "https://127.0.0.1:{port}/",
    "file:///etc/passwd",
    "file://127.0.0.1:{port}/",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/",
    "data:text/plain,any",
    "unix:///run/any.sock",
    "http://",
    "http://:{port}/",
    "http://public.test:22/",
    "http://public.test:0/",
    "http://public.test:99999/",
    "http://public.test:80:{port}/",
    "http://public.test/" + "a" * 2048,
    "",
]
RECORDS = {
    "public.test": ["93.184.215.14"],
    "localhost": ["127.0.0.1", "::1"],
    "private.test": ["10.0.0.5"],
    "mixed.test": ["93.184.215.14", "127.0.0.1"],
    "six.test": ["93.184.215.14", "::1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "zone.test": ["fe80::1%lo"],
    "metadata.test": ["169.254.169.254"],
}


def outbound(policy: Policy) -> Outbound:
    names = Names({name: [found] for name, found in RECORDS.items()})
    return Outbound(policy, names, trusting_nobody())


@pytest.mark.parametrize("url", INWARD)
async def test_nothing_inside_is_reached(url: str, receiver: Receiver) -> None:
    careless = outbound(policy_of(["*"], [], [receiver.port]))
    for attempt in (
        careless.check(url.format(port=receiver.port)),
        careless.fetch(url.format(port=receiver.port), 1000, 2),
        careless.post(url.format(port=receiver.port), b"{}", {}, 2),
    ):
        with pytest.raises(UrlNotAllowed) as refusal:
            await attempt
        assert (refusal.value.status, refusal.value.code) == (400, "url_not_allowed")
        # The answer must not tell what a name leads to.
        assert not any(found in refusal.value.detail for one in RECORDS.values() for found in one)
    assert receiver.connections == 0


@pytest.mark.parametrize("url", [*INWARD[::8], "http://public.test/", "https://public.test/"])
async def test_without_a_configuration_nothing_is_reached_or_looked_up(
    url: str, receiver: Receiver, names: Names
) -> None:
    closed = Outbound(Policy(), names, trusting_nobody())
    with pytest.raises(UrlNotAllowed):
        await closed.fetch(url.format(port=receiver.port), 1000, 2)
    assert receiver.connections == 0
    assert names.asked == []


async def test_a_name_is_looked_up_once_and_never_again(receiver: Receiver) -> None:
    names = Names({"rebinding.test": [["127.0.0.1"], ["127.0.0.2"], ["169.254.169.254"]]})
    sender = Outbound(loopback(receiver), names, trusting_nobody())
    url = f"http://rebinding.test:{receiver.port}/"
    assert await sender.fetch(url, 1000, 2) == b"ok"
    assert names.asked == ["rebinding.test"]
    with pytest.raises(UrlNotAllowed):
        await sender.fetch(url, 1000, 2)
    assert receiver.connections == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["fetch", "post"])
async def test_redirects_are_refused(
    receiver: Receiver, names: Names, status: int, method: str
) -> None:
    async with Receiver().running() as inner:
        location = f"http://127.0.0.1:{inner.port}/"
        receiver.answer = lambda _: answered(status, f"Location: {location}")
        policy = policy_of([], ["127.0.0.0/8"], [receiver.port, inner.port])
        sender = Outbound(policy, names, trusting_nobody())
        url = f"http://receiver.test:{receiver.port}/"
        with pytest.raises(UrlNotAllowed, match="redirect"):
            await (
                sender.fetch(url, 1000, 2) if method == "fetch" else sender.post(url, b"", {}, 2)
            )
        assert (receiver.connections, inner.connections) == (1, 0)


async def test_proxies_of_the_environment_are_not_used(
    receiver: Receiver, outbound: Outbound, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Receiver().running() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        await outbound.fetch(f"http://receiver.test:{receiver.port}/", 1000, 2)
        assert (receiver.connections, proxy.connections) == (1, 0)


async def test_a_name_without_addresses(outbound: Outbound, receiver: Receiver) -> None:
    with pytest.raises(UrlUnreachable) as failure:
        await outbound.fetch(f"http://unknown.test:{receiver.port}/", 1000, 2)
    assert (failure.value.status, failure.value.code) == (422, "url_unreachable")
