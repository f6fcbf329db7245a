"""Signatures, and the receiver's code in the document that checks them."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from docparser_runtime.callbacks import signing
from docparser_runtime.callbacks.sending import body_of
from docparser_runtime.config import ConfigError
from unit.runtime.callbacks.model import DUE

DOCUMENT = (Path(__file__).parents[4] / "docs/callbacks.md").read_text()
SECRET, NOW = b"secret-of-the-example", 1767268800
IsGenuine = Callable[..., bool]


@pytest.fixture(scope="module")
def is_genuine() -> IsGenuine:
    """Return the function that the document gives to receivers."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(ast.parse(code), "callbacks.md", "exec"), names)  # noqa: S102 (our own document)
    found = names["is_genuine"]
    assert callable(found)
    return found


def received(secrets: list[bytes], body: bytes) -> dict[str, str]:
    sent = signing.headers(secrets, NOW, body, DUE.delivery_id)
    return {name.lower(): value for name, value in sent.items()}


def test_the_example_of_the_document_is_what_is_sent() -> None:
    body = body_of(DUE)
    assert body.decode() in DOCUMENT
    for name, value in signing.headers([SECRET], NOW, body, DUE.delivery_id).items():
        assert f"{name}: {value}\n" in DOCUMENT


def test_a_receiver_accepts_what_is_sent(is_genuine: IsGenuine) -> None:
    body = body_of(DUE)
    assert is_genuine(received([SECRET], body), body, SECRET, NOW)
    assert is_genuine(received([SECRET], body), body, SECRET, NOW + 300)
    for order in ([b"new-secret", SECRET], [SECRET, b"new-secret"]):
        assert is_genuine(received(order, body), body, SECRET, NOW)


@pytest.mark.parametrize(
    ("change", "body", "secret", "now"),
    [
        ({}, b"other", SECRET, NOW),
        ({}, None, b"another-secret", NOW),
        ({}, None, SECRET, NOW + 301),
        ({}, None, SECRET, NOW - 301),
        ({"x-docparser-timestamp": str(NOW + 1)}, None, SECRET, NOW),
        ({"x-docparser-timestamp": ""}, None, SECRET, NOW),
        ({"x-docparser-timestamp": "soon"}, None, SECRET, NOW),
        ({"x-docparser-timestamp": "\u00b2"}, None, SECRET, NOW),
        ({"x-docparser-signature": ""}, None, SECRET, NOW),
        ({"x-docparser-signature": "v1=" + "0" * 64}, None, SECRET, NOW),
        ({"x-docparser-signature": "v1=\u00e4"}, None, SECRET, NOW),
    ],
)
def test_a_receiver_refuses_anything_else(
    is_genuine: IsGenuine, change: dict[str, str], body: bytes | None, secret: bytes, now: int
) -> None:
    sent = body_of(DUE)
    headers = received([SECRET], sent) | change
    assert not is_genuine(headers, sent if body is None else body, secret, now)


def test_secrets_are_read_one_a_line() -> None:
    assert signing.secrets_of("0123456789abcdef\n") == (b"0123456789abcdef",)
    assert signing.secrets_of(" 0123456789abcdef\r\n\nfedcba9876543210x") == (
        b"0123456789abcdef",
        b"fedcba9876543210x",
    )


@pytest.mark.parametrize("text", ["", "\n \n", "canary", "0123456789abcdef\ncanary"])
def test_missing_and_short_secrets_are_refused_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        signing.secrets_of(text)
    assert "canary" not in str(refusal.value)


def test_no_more_secrets_than_a_header_holds() -> None:
    with pytest.raises(ConfigError, match="at most 4"):
        signing.secrets_of("\n".join(f"0123456789abcde{number}" for number in range(5)))
