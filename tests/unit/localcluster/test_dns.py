import json
import struct

import pytest
from localcluster import dns

REPLY_FLAGS = 0x8180


def reply(identifier: int, flags: int, records: int) -> bytes:
    return struct.pack(">HHHHHH", identifier, flags, 1, records, 0, 0)


def test_a_question_is_for_one_address() -> None:
    question = dns.query("a.bc", 7)
    assert question == b"\0\7\1\0\0\1\0\0\0\0\0\0" + b"\1a\2bc\0" + b"\0\1\0\1"


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        (reply(7, REPLY_FLAGS, 1), True),
        (reply(8, REPLY_FLAGS, 1), False),
        (reply(7, REPLY_FLAGS | 3, 0), False),
        (reply(7, REPLY_FLAGS, 0), False),
        (b"\0\7", False),
    ],
)
def test_only_a_record_for_this_question_counts(answer: bytes, good: bool) -> None:  # noqa: FBT001
    assert dns.answered(answer, 7) is good


def test_the_service_has_an_endpoint_on_every_port() -> None:
    items = {item["kind"]: item for item in json.loads(dns.manifests())["items"]}
    wanted = [(port["name"], port["protocol"]) for port in items["Service"]["spec"]["ports"]]
    served = [(port["name"], port["protocol"]) for port in items["EndpointSlice"]["ports"]]
    assert wanted == served == [("dns", "UDP"), ("dns-tcp", "TCP")]
    assert "selector" not in items["Service"]["spec"]
