"""Credentials of the source of weights: taken from the environment, kept out of every message."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from docparser_api.names import ENV_WEIGHTS_PREFIX

_URL_SECRETS: Final = re.compile(r"(https?://)[^\s/@]*@|(\?)[^\s\"')>]*")
_SHORTEST_SECRET: Final = 4
"""Characters; hiding shorter ones would garble every message and protect nothing."""


@dataclass(frozen=True)
class Credentials:
    """What the Secret of spec.model.weights.source.secretRef holds; None where it has no such key.

    Attributes:
        access_key_id: for s3.
        secret_access_key: for s3.
        session_token: for s3, with temporary credentials.
        token: for http and huggingFace, sent as a bearer token.
    """

    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)

    def redacted(self, text: str) -> str:
        """Return `text` without these credentials and without those that an address can hold."""
        for one in fields(self):
            secret = getattr(self, one.name)
            if secret is not None and len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "***")
        return _URL_SECRETS.sub(lambda found: f"{found[1] or found[2]}***", text)


VARIABLES: Final = frozenset(
    f"{ENV_WEIGHTS_PREFIX}{one.name.upper()}" for one in fields(Credentials)
)
"""The environment variables that hold credentials."""


def read(environ: Mapping[str, str], prefix: str = ENV_WEIGHTS_PREFIX) -> Credentials:
    """Return the credentials that the variables of `environ` with this prefix hold."""
    values = {
        one.name: environ.get(f"{prefix}{one.name.upper()}", "").strip() or None
        for one in fields(Credentials)
    }
    return Credentials(**values)
