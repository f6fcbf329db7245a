"""Checks signatures of requests as S3 does (AWS Signature Version 4)."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message
from typing import Final
from urllib.parse import parse_qsl, quote

_FORM: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+), ?"
    r"SignedHeaders=(?P<names>[^,]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass(frozen=True)
class Keys:
    """Credentials that a client must sign with."""

    access_key_id: str
    secret_access_key: str
    session_token: str | None = None


def is_signed(target: str, headers: Message, keys: Keys, method: str = "GET") -> bool:
    """Whether the request for `target` was signed with `keys`."""
    found = _FORM.fullmatch(headers.get("Authorization", ""))
    if found is None or found["key"] != keys.access_key_id:
        return False
    if headers.get("x-amz-security-token") != keys.session_token:
        return False
    path, _, query = target.partition("?")
    names = found["names"].split(";")
    payload = headers.get("x-amz-content-sha256", "")
    request = _canonical(method, path, _pairs(query), headers, names, payload)
    date = headers.get("x-amz-date", "")
    return _signature(request, date, found["scope"], keys) == found["signature"]


def is_presigned(target: str, headers: Message, keys: Keys) -> bool:
    """Whether the address of a GET request was signed with `keys`. Its time is not looked at."""
    path, _, query = target.partition("?")
    pairs = _pairs(query)
    values = dict(pairs)
    key, _, scope = values.get("X-Amz-Credential", "").partition("/")
    if key != keys.access_key_id or values.get("X-Amz-Security-Token") != keys.session_token:
        return False
    signed = [pair for pair in pairs if pair[0] != "X-Amz-Signature"]
    names = values["X-Amz-SignedHeaders"].split(";")
    request = _canonical("GET", path, signed, headers, names, "UNSIGNED-PAYLOAD")
    return _signature(request, values["X-Amz-Date"], scope, keys) == values["X-Amz-Signature"]


def _pairs(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)


def _canonical(
    method: str,
    path: str,
    pairs: Iterable[tuple[str, str]],
    headers: Message,
    names: list[str],
    payload: str,
) -> str:
    encoded = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in pairs)
    query = "&".join(f"{name}={value}" for name, value in encoded)
    listed = "".join(f"{name}:{headers.get(name, '').strip()}\n" for name in names)
    return f"{method}\n{path}\n{query}\n{listed}\n{';'.join(names)}\n{payload}"


def _signature(request: str, date: str, scope: str, keys: Keys) -> str:
    hashed = hashlib.sha256(request.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashed}"
    key = f"AWS4{keys.secret_access_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()
