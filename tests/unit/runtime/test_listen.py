import socket

import pytest
from docparser_runtime.server import EVERY_ADDRESS, ListenError, listen


def has_ipv6() -> bool:
    if not socket.has_dualstack_ipv6():
        return False
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def is_reached(address: str, sock: socket.socket) -> bool:
    with socket.create_connection((address, sock.getsockname()[1]), timeout=5):
        accepted, _ = sock.accept()
        accepted.close()
    return True


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        pytest.param("::1", marks=pytest.mark.skipif(not has_ipv6(), reason="has no IPv6")),
    ],
)
def test_by_default_every_address_is_listened_on(address: str) -> None:
    with listen(EVERY_ADDRESS, 0) as sock:
        assert is_reached(address, sock)


def test_one_address_is_listened_on_alone() -> None:
    with listen("127.0.0.1", 0) as sock:
        assert is_reached("127.0.0.1", sock)
        assert sock.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("taken_host", ["127.0.0.1", EVERY_ADDRESS])
def test_a_taken_port_is_not_shared(taken_host: str) -> None:
    with (
        listen(taken_host, 0) as taken,
        pytest.raises(ListenError, match=f"cannot listen on ::, port {taken.getsockname()[1]}: "),
    ):
        listen(EVERY_ADDRESS, taken.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", EVERY_ADDRESS])
def test_answers_are_sent_at_once(host: str) -> None:
    with (
        listen(host, 0) as sock,
        socket.create_connection(("127.0.0.1", sock.getsockname()[1]), timeout=5),
    ):
        accepted, _ = sock.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
