import json
import typing

import pytest
from docparser_api.names import ENV_MODEL, ENV_RUNTIME, ENV_TOKEN
from docparser_api.runtime import ModelSpec, RuntimeConfig
from docparser_runtime import config


def test_without_variables_everything_has_its_default() -> None:
    assert config.load({"PATH": "/bin"}) == (ModelSpec(), RuntimeConfig())
    assert config.token({}) is None


def test_the_variables_are_read_by_the_classes_that_the_operator_writes_with() -> None:
    model = ModelSpec(engine="fake", name="mine/one")
    runtime = RuntimeConfig(max_concurrency=7, lame_duck_seconds=0)
    environ = {
        ENV_MODEL: model.model_dump_json(by_alias=True, exclude_defaults=True),
        ENV_RUNTIME: runtime.model_dump_json(by_alias=True),
    }
    assert config.load(environ) == (model, runtime)


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({ENV_RUNTIME: "{"}, f"{ENV_RUNTIME}: Invalid JSON"),
        ({ENV_RUNTIME: ""}, f"{ENV_RUNTIME}: Invalid JSON"),
        ({ENV_RUNTIME: "[]"}, f"{ENV_RUNTIME}: "),
        ({ENV_RUNTIME: json.dumps({"maxConcurency": 2})}, "maxConcurency: Extra inputs"),
        ({ENV_RUNTIME: json.dumps({"maxConcurrency": 0})}, "maxConcurrency: "),
        ({ENV_RUNTIME: json.dumps({"fake": {"x": 1}})}, "fake.x: Extra inputs"),
        ({ENV_MODEL: json.dumps({"engine": "nope"})}, f"{ENV_MODEL}: engine: "),
        ({"DOCPARSER_RUNTIM": "{}"}, "unknown environment variables: DOCPARSER_RUNTIM "),
    ],
)
def test_what_does_not_fit_is_refused_by_name(environ: dict[str, str], message: str) -> None:
    with pytest.raises(config.ConfigError) as refusal:
        config.load(environ)
    assert message in str(refusal.value)


def test_a_token_may_end_with_a_newline() -> None:
    assert config.token({ENV_TOKEN: "s3cr3t\n"}) == "s3cr3t"


@pytest.mark.parametrize("value", ["", "\n", "two words", "schlüssel", "a\x00b"])
def test_a_token_that_no_header_can_carry_is_refused(value: str) -> None:
    with pytest.raises(config.ConfigError) as refusal:
        config.token({ENV_TOKEN: value})
    assert not value.strip() or value not in str(refusal.value)


def test_another_engine_can_be_chosen() -> None:
    model = ModelSpec(engine="rapidocr", name="mine")
    assert config.with_engine(model, "fake") == ModelSpec(engine="fake", name="mine")
    with pytest.raises(config.ConfigError, match="engine: "):
        config.with_engine(model, "nope")


def test_every_variable_of_the_contract_is_known() -> None:
    from docparser_api import names  # noqa: PLC0415

    declared = {
        getattr(names, name)
        for name in typing.get_type_hints(names)
        if name.startswith("ENV_") and not name.endswith("_PREFIX")
    }
    assert declared == config._KNOWN
