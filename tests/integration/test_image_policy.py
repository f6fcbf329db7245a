"""The admission policy that the documents show lets images by digest in, and no others."""

from collections.abc import Iterator

import pytest
import yaml
from support.documents import REPOSITORY, blocks
from support.eventually import eventually
from support.kubectl import Kubectl, KubectlError

from .conftest import a_parser


@pytest.fixture
def policy(kubectl: Kubectl) -> Iterator[None]:
    """The documented policy, in force for the namespace of the test."""
    document = REPOSITORY / "docs/security.md"
    shown = next(b for b in blocks(document, "yaml") if "ValidatingAdmissionPolicy" in b)
    objects = list(yaml.safe_load_all(shown))
    for manifest in objects:
        kubectl.apply(manifest)
    kubectl.run("label", "namespace", kubectl.namespace, "images=by-digest")
    yield
    for manifest in objects:
        kubectl.run("delete", manifest["kind"], manifest["metadata"]["name"])


def refusal(kubectl: Kubectl, image: str) -> str:
    """Return why an object with `image` is refused; empty if it is not."""
    try:
        kubectl.apply(a_parser("reader", image=image))
    except KubectlError as error:
        return str(error)
    kubectl.run("delete", "dpd", "reader")
    return ""


def test_an_image_by_digest_is_let_in(kubectl: Kubectl, policy: None) -> None:
    eventually(
        lambda: refusal(kubectl, "example.org/runtime:1"),
        lambda words: "name spec.image by its digest" in words,
        30,
        "a tag is refused",
    )
    assert refusal(kubectl, f"example.org/runtime@sha256:{'a' * 64}") == ""
