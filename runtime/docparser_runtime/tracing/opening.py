"""Whether traces are wanted, by the variables that OpenTelemetry has standardized."""

import logging
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from docparser_api.names import (
    ENV_OTEL_DISABLED,
    ENV_OTEL_TRACES_EXPORTER,
    ENV_OTLP_ENDPOINT,
    ENV_OTLP_PROTOCOL,
    ENV_OTLP_TRACES_ENDPOINT,
    ENV_OTLP_TRACES_PROTOCOL,
)

from docparser_runtime.config import ConfigError
from docparser_runtime.logs import Log
from docparser_runtime.roles import Role
from docparser_runtime.tracing.spans import Tracing, Untraced

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource

_OTLP: Final = "otlp"
_PROTOCOL: Final = "http/protobuf"


def opened(environ: Mapping[str, str], role: Role, log: Log) -> Tracing:
    """Return what traces as `environ` wants it. The SDK reads its own variables of the process.

    Raises:
        ConfigError: traces are wanted in a way that we do not know.
    """
    if not is_wanted(environ):
        return Untraced()
    try:
        return _recorded(role, log)
    except ValueError as error:
        raise ConfigError(f"the variables of OpenTelemetry, OTEL_*: {error}") from None


def is_wanted(environ: Mapping[str, str]) -> bool:
    """Return whether traces are to be sent.

    Raises:
        ConfigError: in a way that we do not know.
    """
    if _value(environ, ENV_OTEL_DISABLED).lower() == "true":
        return False
    endpoints = (ENV_OTLP_ENDPOINT, ENV_OTLP_TRACES_ENDPOINT)
    named = any(_value(environ, name) for name in endpoints)
    exporter = _value(environ, ENV_OTEL_TRACES_EXPORTER) or (_OTLP if named else "none")
    if exporter == "none":
        return False
    if exporter != _OTLP:
        raise ConfigError(f"{ENV_OTEL_TRACES_EXPORTER} must be {_OTLP} or none")
    # As in OpenTelemetry, the variable of traces comes before the one of all signals.
    for name in (ENV_OTLP_TRACES_PROTOCOL, ENV_OTLP_PROTOCOL):
        if protocol := _value(environ, name):
            if protocol != _PROTOCOL:
                raise ConfigError(f"{name} must be {_PROTOCOL}: traces are sent by no other")
            break
    return True


def _recorded(role: Role, log: Log) -> Tracing:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    from docparser_runtime.tracing.recording import QuietExporter, RecordedTracing  # noqa: PLC0415

    # It tells of each span that it could not send; we tell once.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
    provider = TracerProvider(resource=_resource(Resource.create(), role), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(QuietExporter(OTLPSpanExporter(), log)))
    return RecordedTracing(provider, log)


def _resource(found: "Resource", role: Role) -> "Resource":
    """Return what the environment says of this process, and what we know where it says nothing."""
    ours = {
        "service.name": "docparser-runtime",
        "service.version": version("docparser-runtime"),
        "docparser.role": role.value,
    }
    named = not str(found.attributes["service.name"]).startswith("unknown_service")
    told = found.attributes if named else {**found.attributes, "service.name": ours["service.name"]}
    return type(found)({**ours, **told}, found.schema_url)


def _value(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()
