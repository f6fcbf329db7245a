"""How an S3 store is reached, as the environment says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from docparser_api.names import ENV_STORE_PREFIX

from docparser_runtime.config import ConfigError
from docparser_runtime.weights import credentials
from docparser_runtime.weights.credentials import Credentials

_ENDPOINT: Final = f"{ENV_STORE_PREFIX}ENDPOINT"
_REGION: Final = f"{ENV_STORE_PREFIX}REGION"
_LINK_SECONDS: Final = f"{ENV_STORE_PREFIX}LINK_SECONDS"
_DEFAULT_REGION: Final = "us-east-1"
MOST_LINK_SECONDS: Final = 3600
"""Whoever has a link needs no token, so that none is good for long."""


@dataclass(frozen=True)
class Access:
    """Where an S3 store is and as whom to use it.

    Attributes:
        endpoint: address of the store; None for AWS.
        credentials: without keys, requests are those of anybody.
        link_seconds: how long links to results are good; None where none are given out.
    """

    endpoint: str | None = None
    region: str = _DEFAULT_REGION
    credentials: Credentials = field(default_factory=Credentials)
    link_seconds: int | None = None


VARIABLES: Final = frozenset(
    {_ENDPOINT, _LINK_SECONDS, _REGION}
    | {
        f"{ENV_STORE_PREFIX}{one.name.upper()}"
        for one in fields(Credentials)
        if one.name != "token"
    }
)
"""The environment variables that are read here."""


def read(environ: Mapping[str, str]) -> Access:
    """Return the access that `environ` describes.

    Raises:
        ConfigError: it names no proper time for links.
    """
    return Access(
        environ.get(_ENDPOINT, "").strip() or None,
        environ.get(_REGION, "").strip() or _DEFAULT_REGION,
        credentials.read(environ, ENV_STORE_PREFIX),
        _link_seconds(environ.get(_LINK_SECONDS, "").strip()),
    )


def _link_seconds(text: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch("[1-9][0-9]{0,3}", text) or int(text) > MOST_LINK_SECONDS:
        raise ConfigError(f"{_LINK_SECONDS} must be a number from 1 to {MOST_LINK_SECONDS}")
    return int(text)
