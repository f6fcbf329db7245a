"""The process environment, read once and into typed values. Names no field of the configuration."""

from collections.abc import Mapping
from typing import TypeVar

from docparser_api.base import ApiModel
from docparser_api.names import (
    ENV_CALLBACK_SECRET,
    ENV_DATA,
    ENV_DATABASE_URL,
    ENV_MODEL,
    ENV_OTEL_DISABLED,
    ENV_OTEL_TRACES_EXPORTER,
    ENV_OTLP_ENDPOINT,
    ENV_OTLP_PROTOCOL,
    ENV_OTLP_TRACES_ENDPOINT,
    ENV_OTLP_TRACES_PROTOCOL,
    ENV_PREFIX,
    ENV_RUNTIME,
    ENV_SPLIT_FILE,
    ENV_STORE_URL,
    ENV_TLS_CERT_FILE,
    ENV_TLS_CLIENT_CA_FILE,
    ENV_TLS_KEY_FILE,
    ENV_TOKEN,
    ENV_TOKENS_FILE,
    ENV_TRACK,
)
from docparser_api.runtime import ModelSpec, RuntimeConfig
from pydantic import ValidationError

Model = TypeVar("Model", bound=ApiModel)

_SECURITY = {ENV_TOKEN, ENV_TOKENS_FILE, ENV_TLS_CERT_FILE, ENV_TLS_KEY_FILE}
_TASKS = (ENV_CALLBACK_SECRET, ENV_DATA, ENV_DATABASE_URL, ENV_SPLIT_FILE, ENV_STORE_URL, ENV_TRACK)
_ENDPOINTS = (ENV_OTLP_ENDPOINT, ENV_OTLP_TRACES_ENDPOINT)
_PROTOCOLS = (ENV_OTLP_PROTOCOL, ENV_OTLP_TRACES_PROTOCOL)
_TRACES = (ENV_OTEL_DISABLED, ENV_OTEL_TRACES_EXPORTER, *_ENDPOINTS, *_PROTOCOLS)
_OTHERS = (ENV_MODEL, ENV_RUNTIME, ENV_TLS_CLIENT_CA_FILE)
_KNOWN = frozenset({*_OTHERS, *_SECURITY, *_TASKS, *_TRACES})


class ConfigError(Exception):
    """The environment does not describe a service; the message names what to mend."""


def load(
    environ: Mapping[str, str], also_known: frozenset[str] = frozenset()
) -> tuple[ModelSpec, RuntimeConfig]:
    """Return the configuration that `environ` holds, defaults where it holds none.

    `also_known` names variables that the caller reads by itself.

    Raises:
        ConfigError: a variable of our prefix is unknown, or a value does not fit its class.
    """
    all_known = _KNOWN | also_known
    unknown = sorted(n for n in environ if n.startswith(ENV_PREFIX) and n not in all_known)
    if unknown:
        known = ", ".join(sorted(all_known))
        raise ConfigError(f"unknown environment variables: {', '.join(unknown)} (known: {known})")
    return _read(environ, ENV_MODEL, ModelSpec), _read(environ, ENV_RUNTIME, RuntimeConfig)


def token(environ: Mapping[str, str]) -> str | None:
    """Return the bearer token that clients must send; None when there is none.

    Raises:
        ConfigError: the token is blank or holds characters that no HTTP header can carry.
    """
    if ENV_TOKEN not in environ:
        return None
    # Secrets made from files end with a newline that nobody means.
    value = environ[ENV_TOKEN].strip()
    if not value or not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(f"{ENV_TOKEN} must hold printable ASCII characters without blanks")
    return value


def with_engine(model: ModelSpec, engine: str) -> ModelSpec:
    """Return `model` with another engine.

    Raises:
        ConfigError: there is no such engine.
    """
    try:
        return ModelSpec.model_validate({**model.model_dump(), "engine": engine})
    except ValidationError as error:
        raise ConfigError(_faults(error)) from None


def _read(environ: Mapping[str, str], name: str, model: type[Model]) -> Model:
    try:
        return model.model_validate_json(environ.get(name, "{}"))
    except ValidationError as error:
        raise ConfigError(f"{name}: {_faults(error)}") from None


def _faults(error: ValidationError) -> str:
    return "; ".join(_fault(str(entry["msg"]), entry["loc"]) for entry in error.errors())


def _fault(message: str, location: tuple[int | str, ...]) -> str:
    path = ".".join(str(step) for step in location)
    return f"{path}: {message}" if path else message
