import io

import pytest
from docparser_api.names import (
    ENV_OTEL_DISABLED,
    ENV_OTEL_TRACES_EXPORTER,
    ENV_OTLP_ENDPOINT,
    ENV_OTLP_PROTOCOL,
    ENV_OTLP_TRACES_ENDPOINT,
    ENV_OTLP_TRACES_PROTOCOL,
)
from docparser_runtime import logs
from docparser_runtime.config import ConfigError
from docparser_runtime.roles import Role
from docparser_runtime.tracing import opening
from docparser_runtime.tracing.spans import Untraced

ENDPOINT = {ENV_OTLP_ENDPOINT: "http://collector:4318"}


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, False),
        ({ENV_OTLP_ENDPOINT: " "}, False),
        (ENDPOINT, True),
        ({ENV_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces"}, True),
        ({ENV_OTEL_TRACES_EXPORTER: "otlp"}, True),
        (ENDPOINT | {ENV_OTEL_TRACES_EXPORTER: "none"}, False),
        (ENDPOINT | {ENV_OTEL_DISABLED: "True"}, False),
        (ENDPOINT | {ENV_OTLP_PROTOCOL: "http/protobuf"}, True),
        (ENDPOINT | {ENV_OTLP_PROTOCOL: "grpc", ENV_OTLP_TRACES_PROTOCOL: "http/protobuf"}, True),
        ({ENV_OTLP_PROTOCOL: "grpc"}, False),
    ],
)
def test_the_standard_variables_turn_traces_on(environ: dict[str, str], *, wanted: bool) -> None:
    assert opening.is_wanted(environ) is wanted


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({ENV_OTEL_TRACES_EXPORTER: "console"}, ENV_OTEL_TRACES_EXPORTER),
        (ENDPOINT | {ENV_OTLP_PROTOCOL: "grpc"}, ENV_OTLP_PROTOCOL),
        (ENDPOINT | {ENV_OTLP_TRACES_PROTOCOL: "http/json"}, ENV_OTLP_TRACES_PROTOCOL),
    ],
)
def test_what_is_not_known_is_refused(environ: dict[str, str], name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        opening.is_wanted(environ)


def test_nothing_is_traced_by_default() -> None:
    tracing = opening.opened({}, Role.ALL, logs.create(io.StringIO(), "info"))
    assert isinstance(tracing, Untraced)
