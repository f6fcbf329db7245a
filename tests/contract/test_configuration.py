"""What the operator writes into a pod is what the runtime reads out of it."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from docparser_api import names
from docparser_api.base import ApiModel
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_api.spec import DocParserDeploymentSpec
from docparser_operator.desired.pod import pod_template
from docparser_operator.revisions import shape_of
from docparser_runtime import config
from pydantic import BaseModel
from support.builders import a_parser
from support.variations import variations

RUNTIME = Path(config.__file__).parent
SPECS = {
    path: spec
    for path, spec in variations(DocParserDeploymentSpec, {"image": "example.org/runtime:1"})
    if path.startswith(("runtime.", "model."))
}


def container_of(spec: DocParserDeploymentSpec) -> dict[str, Any]:
    template = pod_template(a_parser().built().metadata, shape_of(spec), "abc")
    container: dict[str, Any] = template["spec"]["containers"][0]
    return container


def environment(spec: DocParserDeploymentSpec) -> dict[str, str]:
    """Return the variables of the container, values of Secrets made up."""
    return {env["name"]: env.get("value", "secret") for env in container_of(spec)["env"]}


def as_spec(spec: BaseModel) -> DocParserDeploymentSpec:
    assert isinstance(spec, DocParserDeploymentSpec)
    return spec


@pytest.mark.parametrize("path", SPECS)
def test_each_parameter_arrives(path: str) -> None:
    spec = as_spec(SPECS[path])
    model, runtime = config.load(environment(spec))
    assert model == spec.model
    assert runtime == spec.runtime
    assert (model, runtime) != (ModelSpec(), RuntimeConfig())


def test_defaults_arrive_as_defaults() -> None:
    model, runtime = config.load(environment(a_parser().built().spec))
    assert (model, runtime) == (ModelSpec(), RuntimeConfig())


def test_the_token_arrives() -> None:
    auth = {"tokenSecretRef": {"name": "token", "key": "value"}}
    found = environment(a_parser().with_spec(auth=auth).built().spec)
    assert config.token(found) == "secret"
    assert config.token(environment(a_parser().built().spec)) is None


def test_variables_of_the_user_do_not_disturb() -> None:
    env = [{"name": "HTTP_PROXY", "value": "http://proxy"}]
    config.load(environment(a_parser().with_spec(env=env).built().spec))


def _fields(model: type[ApiModel]) -> set[str]:
    """Return the names of all fields of `model` and of the objects in it."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, ApiModel):
            found |= _fields(inner)
        found.add(name)
    return found


@cache
def _attributes() -> frozenset[str]:
    """Return every attribute that the runtime reads anywhere but in config.py."""
    trees = [
        ast.parse(path.read_text())
        for path in RUNTIME.rglob("*.py")
        if path.name != "config.py" and "__pycache__" not in path.parts
    ]
    return frozenset(
        node.attr
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    )


@pytest.mark.parametrize("name", sorted(_fields(RuntimeConfig) | _fields(ModelSpec)))
def test_each_parameter_is_used(name: str) -> None:
    assert name in _attributes(), f"no line of docparser_runtime reads {name}"


def test_the_variables_are_those_that_the_runtime_knows() -> None:
    ours = {name for name in environment(a_parser().built().spec) if name.startswith("DOCPARSER_")}
    assert ours == {names.ENV_MODEL, names.ENV_RUNTIME}
    with pytest.raises(config.ConfigError, match="DOCPARSER_RUNTIMES"):
        config.load({"DOCPARSER_RUNTIMES": "{}"})
