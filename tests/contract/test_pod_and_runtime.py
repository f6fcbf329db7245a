"""What the operator puts into a pod is what the runtime takes out of it."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docparser_api import names
from docparser_api.deployment import parse
from docparser_api.runtime import FakeConfig, ModelSpec, RuntimeConfig, longest_drain_seconds
from docparser_operator.desired.pod import pod_template
from docparser_operator.revisions import shape_of
from docparser_runtime.boundary import CLUSTER_PATHS
from docparser_runtime.config import load
from docparser_runtime.engine.registry import create_engine
from docparser_runtime.routes import health

REPOSITORY = Path(__file__).parents[2]
RUNTIME = REPOSITORY / "runtime/docparser_runtime"

CHANGED_RUNTIME = {
    "maxConcurrency": 3,
    "maxQueueLength": 0,
    "maxBodyBytes": 4096,
    "logLevel": "debug",
    "fake": {"pageMilliseconds": 7},
}


def template(**spec: Any) -> dict[str, Any]:
    """Return the pod template for a spec."""
    metadata = {"name": "reader", "namespace": "default", "uid": "u", "resourceVersion": "1"}
    parser = parse({"metadata": metadata, "spec": {"image": "example.org/runtime:1", **spec}})
    return pod_template(parser.metadata, shape_of(parser.spec), "abc")


def environment(**spec: Any) -> dict[str, str]:
    """Return the clear-text environment of the container."""
    variables = template(**spec)["spec"]["containers"][0]["env"]
    return {variable["name"]: variable["value"] for variable in variables if "value" in variable}


@pytest.mark.parametrize("runtime", [{}, CHANGED_RUNTIME])
def test_the_runtime_reads_what_the_operator_wrote(runtime: dict[str, Any]) -> None:
    model, config = load(environment(model={"engine": "fake", "name": "mine"}, runtime=runtime))
    assert model == ModelSpec(engine="fake", name="mine")
    assert config == RuntimeConfig.model_validate(runtime)


def test_the_token_comes_from_the_secret_and_nowhere_else() -> None:
    auth = {"tokenSecretRef": {"name": "secret", "key": "token"}}
    variables = template(auth=auth)["spec"]["containers"][0]["env"]
    tokens = [variable for variable in variables if variable["name"] == names.ENV_TOKEN]
    assert tokens == [
        {"name": names.ENV_TOKEN, "valueFrom": {"secretKeyRef": {"name": "secret", "key": "token"}}}
    ]


def test_probes_ask_for_routes_that_need_no_token() -> None:
    container = template()["spec"]["containers"][0]
    probed = {
        container[f"{kind}Probe"]["httpGet"]["path"]
        for kind in ("startup", "readiness", "liveness")
    }
    assert probed == {names.PATH_STARTUP, names.PATH_READY, names.PATH_LIVE}
    routes = {getattr(route, "path", "") for route in health.router.routes}
    assert probed <= routes & CLUSTER_PATHS
    assert container["ports"][0]["containerPort"] == names.PORT


def test_the_grace_period_exceeds_the_longest_accepted_request() -> None:
    grace = template()["spec"]["terminationGracePeriodSeconds"]
    assert grace > longest_drain_seconds(RuntimeConfig())


@pytest.mark.parametrize("engine", ["rapidocr", "fake"])
def test_every_engine_of_the_api_exists(engine: str) -> None:
    model = ModelSpec.model_validate({"engine": engine})
    assert create_engine(model, RuntimeConfig()).name


@pytest.mark.parametrize("field", [*RuntimeConfig.model_fields, *FakeConfig.model_fields])
def test_every_parameter_is_used_by_the_runtime(field: str) -> None:
    assert field in set(attributes_read())


def attributes_read() -> Iterator[str]:
    """Yield the attributes that the runtime reads anywhere but where it loads them."""
    for path in RUNTIME.rglob("*.py"):
        if path.name == "config.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                yield node.attr
