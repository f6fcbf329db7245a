import pytest
from docparser_operator.kinds import DEPLOYMENT, DOC_PARSER, POD, Kind, kind_of, ref_of


@pytest.mark.parametrize(
    ("kind", "namespace", "name", "path"),
    [
        (DEPLOYMENT, "a", "b", "/apis/apps/v1/namespaces/a/deployments/b"),
        (POD, "a", None, "/api/v1/namespaces/a/pods"),
        (POD, None, None, "/api/v1/pods"),
        (DOC_PARSER, None, None, "/apis/docparser.dev/v1alpha1/docparserdeployments"),
    ],
)
def test_paths(kind: Kind, namespace: str | None, name: str | None, path: str) -> None:
    assert kind.path(namespace, name) == path


def test_group_and_version() -> None:
    assert (DEPLOYMENT.group, DEPLOYMENT.version) == ("apps", "v1")
    assert (POD.group, POD.version) == ("", "v1")


def test_an_object_tells_what_it_is() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "a", "name": "b"}}
    assert kind_of(pod) is POD
    assert str(ref_of(pod)) == "Pod a/b"
