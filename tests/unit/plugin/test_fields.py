from docparser_api.spec import PodShape
from docparser_kubectl import fields
from docparser_kubectl.fields import Change

from .cases import text


def test_leaves_have_dotted_paths() -> None:
    content = {"a": {"b": 1, "c": []}, "d": [True, {"name": "x", "value": "é"}], "e": {}}
    assert fields.flat(content) == {
        "a.b": "1",
        "a.c": "[]",
        "d[0]": "true",
        "d[x].name": '"x"',
        "d[x].value": '"é"',
        "e": "{}",
    }


def test_a_variable_put_in_front_is_one_change() -> None:
    old = {"env": [{"name": "B", "value": "2"}]}
    new = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    assert fields.changes(old, new) == [
        Change("env[A].name", None, '"A"'),
        Change("env[A].value", None, '"1"'),
    ]


def test_defaults_are_filled_in() -> None:
    image = {"image": "example.org/runtime:1"}
    old = fields.complete(PodShape, image)
    new = fields.complete(PodShape, {**image, "runtime": {"maxConcurrency": 8}})
    assert fields.changes(old, new) == [Change("runtime.maxConcurrency", "2", "8")]
    assert text(fields.render(fields.changes(old, new))).splitlines() == [
        "- runtime.maxConcurrency: 2",
        "+ runtime.maxConcurrency: 8",
    ]


def test_what_cannot_be_read_is_compared_as_it_is() -> None:
    assert fields.complete(PodShape, {"unheardOf": 1}) == {"unheardOf": 1}


def test_a_secret_is_shown_by_its_name_only() -> None:
    source = {"secretKeyRef": {"name": "hub", "key": "token"}}
    shape = {
        "image": "example.org/runtime:1",
        "env": [{"name": "HUB_TOKEN", "valueFrom": source}],
    }
    found = fields.flat(fields.complete(PodShape, shape))
    assert {path: value for path, value in found.items() if "HUB_TOKEN" in path} == {
        "env[HUB_TOKEN].name": '"HUB_TOKEN"',
        "env[HUB_TOKEN].valueFrom.secretKeyRef.name": '"hub"',
        "env[HUB_TOKEN].valueFrom.secretKeyRef.key": '"token"',
    }
