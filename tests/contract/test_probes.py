"""The port and the paths that a pod names are those that the runtime serves."""

from typing import Any

import pytest
from docparser_api import names
from docparser_operator.desired.pod import pod_template
from docparser_operator.desired.service import service
from docparser_operator.revisions import shape_of
from docparser_runtime.__main__ import app
from docparser_runtime.routes import about, health
from fastapi.routing import APIRoute
from support.builders import a_parser
from typer.core import TyperGroup
from typer.main import get_command

PARSER = a_parser().built()
CONTAINER: dict[str, Any] = pod_template(PARSER.metadata, shape_of(PARSER.spec), "abc")["spec"][
    "containers"
][0]
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def served() -> set[str]:
    """Return the paths of all routes that answer GET."""
    return {
        route.path
        for router in (health.router, about.router)
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }


@pytest.mark.parametrize("probe", PROBES)
def test_the_path_of_a_probe_is_served(probe: str) -> None:
    assert CONTAINER[probe]["httpGet"]["path"] in served()


def test_the_three_probes_ask_three_questions() -> None:
    assert len({CONTAINER[probe]["httpGet"]["path"] for probe in PROBES}) == 3


def test_the_port_has_one_number_and_one_name() -> None:
    (port,) = CONTAINER["ports"]
    assert (port["containerPort"], port["name"]) == (names.PORT, names.PORT_NAME)
    assert {CONTAINER[probe]["httpGet"]["port"] for probe in PROBES} == {names.PORT_NAME}
    assert service(PARSER, {})["spec"]["ports"][0]["targetPort"] == names.PORT_NAME


def test_what_scrapes_and_inspects_finds_its_path() -> None:
    assert {names.PATH_METRICS, names.PATH_CONFIG} <= served()


def test_the_arguments_start_the_service_on_the_named_port() -> None:
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    (name,) = CONTAINER["args"]
    serve = command.commands[name]
    port = next(parameter for parameter in serve.params if parameter.name == "port")
    assert port.default == names.PORT
