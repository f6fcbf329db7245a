"""Every body in the OpenAPI document has an example, and each fits its schema."""

from collections.abc import Iterator
from typing import Any

import pytest
from docparser_runtime import schemas, sse, task_schemas, uploads, writing
from docparser_runtime.compat import bodies, requests
from docparser_runtime.examples import BODIES
from docparser_runtime.problems import MEDIA_TYPE
from pydantic import BaseModel, TypeAdapter
from unit.runtime.doubles import Service

MODULES = (schemas, task_schemas, bodies, requests)
BARE = {("/config", "200")}
"""It has the form of the resource's fields."""
WITH_EXAMPLES = {uploads.JSON, uploads.FORM, MEDIA_TYPE, sse.MEDIA_TYPE, *writing.FORMS}


def model(name: str) -> type[BaseModel]:
    (found,) = {getattr(module, name) for module in MODULES if hasattr(module, name)}
    kind: type[BaseModel] = found
    return kind


def contents(document: dict[str, Any]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield path, status or `body`, media type and description of each body."""
    for path, methods in document["paths"].items():
        for operation in methods.values():
            described = {"body": operation.get("requestBody", {}), **operation["responses"]}
            for status, one in described.items():
                for media_type, content in one.get("content", {}).items():
                    yield path, status, media_type, content


@pytest.mark.parametrize("name", BODIES)
def test_examples_fit(name: str) -> None:
    found = model(name)
    text = TypeAdapter(dict[str, Any]).dump_json(BODIES[name])
    again = found.model_validate_json(text)
    if "Request" not in name and "Form" not in name:
        assert again.model_fields_set == set(found.model_fields), "an answer has all its fields"


async def test_every_body_has_an_example(service: Service) -> None:
    document = (await service.client.get("/openapi.json")).json()
    bare = {
        (path, status)
        for path, status, media_type, content in contents(document)
        if media_type in WITH_EXAMPLES and not content.keys() & {"example", "examples"}
    }
    assert bare == BARE


async def test_every_error_has_an_example(service: Service) -> None:
    document = (await service.client.get("/openapi.json")).json()
    count = 0
    for _, status, media_type, content in contents(document):
        if media_type == MEDIA_TYPE:
            for code, example in content["examples"].items():
                problem = schemas.Problem.model_validate(example["value"])
                assert (problem.code, str(problem.status)) == (code, status)
                count += 1
    assert count > 100
