"""Promises of the pod that only hold if the runtime keeps them."""

from typing import get_args

import pytest
from docparser_api.runtime import Engine, ModelSpec, RuntimeConfig, longest_drain_seconds
from docparser_operator.desired.pod import pod_template
from docparser_operator.revisions import shape_of
from docparser_runtime.engine.registry import create_engine
from support.builders import a_parser


def test_the_grace_period_exceeds_the_longest_accepted_request() -> None:
    parser = a_parser().with_runtime(requestTimeoutSeconds=77).built()
    template = pod_template(parser.metadata, shape_of(parser.spec), "abc")
    longest = longest_drain_seconds(RuntimeConfig(request_timeout_seconds=77))
    assert template["spec"]["terminationGracePeriodSeconds"] > longest


@pytest.mark.parametrize("engine", get_args(Engine))
def test_every_engine_of_the_api_exists(engine: str) -> None:
    model = ModelSpec.model_validate({"engine": engine})
    assert create_engine(model, RuntimeConfig()).name
