"""How an S3 store is reached, as the environment says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final

from docparser_api.names import ENV_STORE_PREFIX

from docparser_runtime.weights import credentials
from docparser_runtime.weights.credentials import Credentials

_ENDPOINT: Final = f"{ENV_STORE_PREFIX}ENDPOINT"
_REGION: Final = f"{ENV_STORE_PREFIX}REGION"
_DEFAULT_REGION: Final = "us-east-1"


@dataclass(frozen=True)
class Access:
    """Where an S3 store is and as whom to use it.

    Attributes:
        endpoint: address of the store; None for AWS.
        credentials: without keys, requests are those of anybody.
    """

    endpoint: str | None = None
    region: str = _DEFAULT_REGION
    credentials: Credentials = field(default_factory=Credentials)


VARIABLES: Final = frozenset(
    {_ENDPOINT, _REGION}
    | {
        f"{ENV_STORE_PREFIX}{one.name.upper()}"
        for one in fields(Credentials)
        if one.name != "token"
    }
)
"""The environment variables that are read here."""


def read(environ: Mapping[str, str]) -> Access:
    """Return the access that `environ` describes."""
    return Access(
        environ.get(_ENDPOINT, "").strip() or None,
        environ.get(_REGION, "").strip() or _DEFAULT_REGION,
        credentials.read(environ, ENV_STORE_PREFIX),
    )
