"""Checks the signature of a GET request as S3 does (AWS Signature Version 4)."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from email.message import Message
from typing import Final

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


def is_signed(target: str, headers: Message, keys: Keys) -> bool:
    """Whether the request for `target` without a query was signed with `keys`."""
    found = _FORM.fullmatch(headers.get("Authorization", ""))
    if found is None or found["key"] != keys.access_key_id:
        return False
    if headers.get("x-amz-security-token") != keys.session_token:
        return False
    names = found["names"].split(";")
    listed = "".join(f"{name}:{headers.get(name, '').strip()}\n" for name in names)
    payload = headers.get("x-amz-content-sha256", "")
    canonical = f"GET\n{target}\n\n{listed}\n{found['names']}\n{payload}"
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{headers.get('x-amz-date')}\n{found['scope']}\n{hashed}"
    key = f"AWS4{keys.secret_access_key}".encode()
    for part in found["scope"].split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex() == found["signature"]
