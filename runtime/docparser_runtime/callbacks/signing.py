"""Pure: how receivers know that a callback is ours, and not an old one sent again."""

import hmac
from collections.abc import Sequence
from typing import Final

from docparser_runtime.config import ConfigError

TIMESTAMP: Final = "X-DocParser-Timestamp"
SIGNATURE: Final = "X-DocParser-Signature"
DELIVERY: Final = "X-DocParser-Delivery"

_SHORTEST_SECRET: Final = 16
"""Characters. Shorter ones could be guessed from one signed message."""
_MOST_SECRETS: Final = 4


def secrets_of(text: str) -> tuple[bytes, ...]:
    """Return the secrets of a file: one a line, of which the first is the newest.

    Raises:
        ConfigError: there is none, or one is too short; the message holds no part of any.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not 1 <= len(lines) <= _MOST_SECRETS:
        raise ConfigError(f"callbacks need one secret a line, at most {_MOST_SECRETS}")
    if min(map(len, lines)) < _SHORTEST_SECRET:
        raise ConfigError(f"a secret of callbacks has less than {_SHORTEST_SECRET} characters")
    return tuple(line.encode() for line in lines)


def signature(secret: bytes, timestamp: int, body: bytes) -> str:
    """Return the signature in its first version, `v1=` and hexadecimal digits."""
    return f"v1={hmac.digest(secret, b'%d.' % timestamp + body, 'sha256').hex()}"


def headers(
    secrets: Sequence[bytes], timestamp: int, body: bytes, delivery_id: str
) -> dict[str, str]:
    """Return the headers of a callback.

    With several secrets there are several signatures, so that receivers can change from one to the
    other without a gap.
    """
    return {
        "Content-Type": "application/json",
        TIMESTAMP: str(timestamp),
        SIGNATURE: ",".join(signature(secret, timestamp, body) for secret in secrets),
        DELIVERY: delivery_id,
    }
