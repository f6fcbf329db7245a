"""Bearer tokens of tenants: read from a file, kept as digests, replaced when the file changes."""

import hashlib
import hmac
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import yaml
from docparser_api.base import ApiModel
from pydantic import Field, SecretStr, ValidationError, model_validator

from docparser_runtime.security.callers import ADMIN, DEFAULT_TENANT, PARSE, Caller, Scope
from docparser_runtime.security.files import ReloadError

_MOST_BYTES: Final = 1024 * 1024
_MOST_PER_MINUTE: Final = 1_000_000
_SHORTEST_TOKEN: Final = 16
"""Characters; whoever may guess for ever must not succeed."""


_OF_NOTHING: Final = frozenset(hashlib.sha256(text).digest() for text in (b"", b"\n"))


class _Entry(ApiModel):
    """One token in the file: itself, or its SHA-256 digest in hexadecimal digits."""

    tenant: str = Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")
    token: SecretStr | None = Field(None, min_length=_SHORTEST_TOKEN, max_length=4096)
    sha256: str | None = Field(None, pattern=r"^[0-9a-fA-F]{64}$")
    scopes: tuple[Scope, ...] = (PARSE,)
    requests_per_minute: int | None = Field(None, ge=1, le=_MOST_PER_MINUTE)
    pages_per_minute: int | None = Field(None, ge=1, le=_MOST_PER_MINUTE)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.token is None) == (self.sha256 is None):
            raise ValueError("set exactly one of token and sha256")
        if self.token is not None and not _is_token(self.token.get_secret_value()):
            raise ValueError("a token holds printable ASCII characters without blanks")
        if self.digest() in _OF_NOTHING:
            raise ValueError("this is the digest of no token at all")
        return self

    def digest(self) -> bytes:
        if self.token is not None:
            return _digest(self.token.get_secret_value())
        return bytes.fromhex(self.sha256 or "")


class _File(ApiModel):
    tokens: tuple[_Entry, ...] = Field(max_length=10_000)


@dataclass(frozen=True)
class Grant:
    """What a token stands for; None for a limit means that there is none."""

    caller: Caller
    requests_per_minute: int | None = None
    pages_per_minute: int | None = None


_OF_THE_ONE_TOKEN: Final = Grant(Caller(DEFAULT_TENANT, frozenset((PARSE, ADMIN))))


@dataclass(frozen=True)
class Keyring:
    """Tokens that are valid at one time."""

    grants: tuple[tuple[bytes, Grant], ...] = field(default=(), repr=False)

    def grant(self, token: str) -> Grant | None:
        """Return what `token` stands for; None if it is unknown.

        It is compared with all tokens and in constant time, so that the time tells nothing.
        """
        digest, found = _digest(token), None
        for known, grant in self.grants:
            if hmac.compare_digest(digest, known):
                found = grant
        return found


class Tokens:
    """The tokens that are valid now: the one of the environment and those of the file.

    Attributes:
        asked_for: whether a token is needed at all.
        keyring: replaced as a whole.
    """

    def __init__(self, token: str | None, file: Path | None) -> None:
        """Read the file.

        Raises:
            ReloadError: it cannot be used.
            OSError: it cannot be read.
        """
        self.asked_for = token is not None or file is not None
        self._token = token
        self._file = file
        self.keyring = self._read()

    def reload(self) -> None:
        """Read the file again. Raises as the constructor does; the old tokens stay valid then."""
        self.keyring = self._read()

    def _read(self) -> Keyring:
        own = [] if self._token is None else [(_digest(self._token), _OF_THE_ONE_TOKEN)]
        return Keyring((*own, *(() if self._file is None else _grants(self._file))))


def _grants(file: Path) -> tuple[tuple[bytes, Grant], ...]:
    with file.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ReloadError(f"the file of tokens is longer than {_MOST_BYTES} bytes")
    entries = parsed(content).tokens
    _check_digests(entries)
    _check_limits(entries)
    return tuple((entry.digest(), _grant(entry)) for entry in entries)


def parsed(content: bytes) -> _File:
    """Return what a file of tokens says.

    Raises:
        ReloadError: it is malformed. The message tells where and quotes nothing.
    """
    try:
        value = _value(content)
        if not isinstance(value, dict):
            raise ReloadError("it holds no object with the key tokens")
        return _File.model_validate(value)
    except ValidationError as error:
        raise ReloadError("; ".join(map(_fault, error.errors()))) from None
    except RecursionError:
        raise ReloadError("it is nested too deeply") from None


def _value(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return _value_of_yaml(content)


def _value_of_yaml(content: bytes) -> Any:
    try:
        return yaml.safe_load(content)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ReloadError(f"neither JSON nor YAML: line {line}") from None
    except (yaml.YAMLError, ValueError):
        raise ReloadError("neither JSON nor YAML") from None


def _fault(error: Any) -> str:
    # A name that we do not know may be a token that stands in the wrong place.
    known = {*_File.model_fields, *_Entry.model_fields}
    steps = (step if isinstance(step, int) or step in known else "?" for step in error["loc"])
    return f"{'.'.join(map(str, steps))}: {error['msg']}"


def _check_digests(entries: tuple[_Entry, ...]) -> None:
    if len({entry.digest() for entry in entries}) < len(entries):
        raise ReloadError("tokens: one token stands there twice")


def _check_limits(entries: tuple[_Entry, ...]) -> None:
    limits = {(e.tenant, e.requests_per_minute, e.pages_per_minute) for e in entries}
    for tenant, count in Counter(tenant for tenant, *_ in limits).items():
        if count > 1:
            raise ReloadError(f"tokens: the limits of tenant {tenant} differ between its tokens")


def _grant(entry: _Entry) -> Grant:
    caller = Caller(entry.tenant, frozenset(entry.scopes))
    return Grant(caller, entry.requests_per_minute, entry.pages_per_minute)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _is_token(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text
