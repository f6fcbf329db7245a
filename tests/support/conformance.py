"""What the operator relies on in an API server, as checks of any `Cluster`.

The memory cluster passes them in the unit tests; a real one must pass them too, or the double has
drifted from what it stands for.
"""

import copy
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from docparser_api import names
from docparser_operator.cluster import Cluster
from docparser_operator.errors import ApiError, ConflictError, NotFoundError
from docparser_operator.kinds import (
    CONTROLLER_REVISION,
    DEPLOYMENT,
    DOC_PARSER,
    LEASE,
    SERVICE,
    SERVICE_ACCOUNT,
    Kind,
    Manifest,
    Ref,
)

LABELS = {names.LABEL_MANAGED_BY: names.MANAGER, "app": "a"}


@dataclass(frozen=True)
class Backend:
    """A cluster, an empty namespace in it, and somebody else who merges patches into objects."""

    cluster: Cluster
    namespace: str
    edit: Callable[[Ref, Manifest], object]
    submit: Callable[[Manifest], object]

    def manifest(self, kind: Kind, **fields: Any) -> Manifest:
        what = {"apiVersion": kind.api_version, "kind": kind.kind}
        metadata = {"name": "a", "namespace": self.namespace, "labels": dict(LABELS)}
        return copy.deepcopy({**what, "metadata": metadata, **fields})

    def ref(self, kind: Kind) -> Ref:
        return Ref(kind, self.namespace, "a")

    def service(self, **selector: str) -> Manifest:
        ports = [{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}]
        return self.manifest(SERVICE, spec={"selector": selector, "ports": ports})

    def deployment(self, replicas: int) -> Manifest:
        containers = [{"name": "c", "image": "example.org/i:1"}]
        template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}}
        selector = {"matchLabels": {"app": "a"}}
        spec = {"replicas": replicas, "selector": selector, "template": template}
        return self.manifest(DEPLOYMENT, spec=spec)


Check = Callable[[Backend], Awaitable[None]]


def version(manifest: Manifest) -> int:
    return int(manifest["metadata"]["resourceVersion"])


def known(manifest: Manifest, live: Manifest) -> Manifest:
    """Return `manifest` with the identity of `live` as its precondition."""
    identity = {key: live["metadata"][key] for key in ("uid", "resourceVersion")}
    return {**manifest, "metadata": {**manifest["metadata"], **identity}}


async def what_is_not_there_is_not_found(b: Backend) -> None:
    with pytest.raises(NotFoundError):
        await b.cluster.get(b.ref(SERVICE))
    with pytest.raises(NotFoundError):
        await b.cluster.delete(b.ref(SERVICE), "no-such-uid", "1")
    with pytest.raises(NotFoundError):
        await b.cluster.patch_status(b.ref(DOC_PARSER), "1", {"summary": "x"})


async def applying_the_same_again_makes_no_new_version(b: Backend) -> None:
    # A Service: the controllers write into a Deployment at any moment.
    manifest = b.service(app="a")
    first = await b.cluster.apply(manifest, force=False)
    second = await b.cluster.apply(manifest, force=True)
    assert first["metadata"]["uid"] == second["metadata"]["uid"]
    again = await b.cluster.apply(known(manifest, second), force=True)
    assert version(again) == version(second)


async def a_change_of_the_spec_makes_a_new_generation_and_one_of_a_label_does_not(
    b: Backend,
) -> None:
    live = await b.cluster.apply(b.deployment(0), force=False)
    generation = live["metadata"]["generation"]
    changed = await b.cluster.apply(b.deployment(1), force=True)
    assert changed["metadata"]["generation"] == generation + 1
    b.edit(b.ref(DEPLOYMENT), {"metadata": {"labels": {"x": "y"}}})
    after = await b.cluster.get(b.ref(DEPLOYMENT))
    assert after["metadata"]["generation"] == generation + 1
    assert version(after) > version(changed)


async def what_is_applied_no_more_goes_and_what_others_set_stays(b: Backend) -> None:
    manifest = b.service(app="a", revision="1")
    annotated = {**manifest["metadata"], "annotations": {"mine": "1"}}
    await b.cluster.apply({**manifest, "metadata": annotated}, force=False)
    b.edit(b.ref(SERVICE), {"metadata": {"annotations": {"theirs": "1"}}})
    live = await b.cluster.apply(b.service(app="a"), force=True)
    assert live["metadata"]["annotations"] == {"theirs": "1"}
    assert live["spec"]["selector"] == {"app": "a"}


async def a_selector_is_taken_as_a_whole(b: Backend) -> None:
    await b.cluster.apply(b.service(app="a"), force=False)
    b.edit(b.ref(SERVICE), {"spec": {"selector": {"theirs": "1"}}})
    live = await b.cluster.apply(b.service(app="a"), force=True)
    assert live["spec"]["selector"] == {"app": "a"}


async def fields_of_others_are_taken_only_by_force(b: Backend) -> None:
    b.submit(b.manifest(SERVICE_ACCOUNT, automountServiceAccountToken=True))
    wanted = b.manifest(SERVICE_ACCOUNT, automountServiceAccountToken=False)
    with pytest.raises(ConflictError):
        await b.cluster.apply(wanted, force=False)
    live = await b.cluster.apply(wanted, force=True)
    assert live["automountServiceAccountToken"] is False


async def an_older_version_or_another_identity_is_a_conflict(b: Backend) -> None:
    manifest = b.manifest(SERVICE_ACCOUNT)
    live = await b.cluster.apply(manifest, force=False)
    b.edit(b.ref(SERVICE_ACCOUNT), {"metadata": {"labels": {"x": "y"}}})
    with pytest.raises(ConflictError):
        await b.cluster.apply(known(manifest, live), force=True)
    newer = (await b.cluster.get(b.ref(SERVICE_ACCOUNT)))["metadata"]
    uid, current = newer["uid"], newer["resourceVersion"]
    with pytest.raises(ConflictError):
        await b.cluster.delete(b.ref(SERVICE_ACCOUNT), uid, live["metadata"]["resourceVersion"])
    with pytest.raises(ConflictError):
        await b.cluster.delete(b.ref(SERVICE_ACCOUNT), "somebody-else", current)
    await b.cluster.delete(b.ref(SERVICE_ACCOUNT), uid, current)
    with pytest.raises(ConflictError):
        await b.cluster.apply(known(manifest, {"metadata": newer}), force=True)
    await b.cluster.apply(manifest, force=False)
    with pytest.raises(ConflictError):
        await b.cluster.apply(known(manifest, {"metadata": newer}), force=True)


async def a_status_is_merged_and_null_removes(b: Backend) -> None:
    spec = {"image": "example.org/i:1"}
    b.submit(b.manifest(DOC_PARSER, spec=spec))
    live = await b.cluster.get(b.ref(DOC_PARSER))
    first = {"summary": "x", "currentRevision": "abc", "replicas": 2}
    after = await b.cluster.patch_status(b.ref(DOC_PARSER), str(version(live)), first)
    assert after["metadata"]["generation"] == live["metadata"]["generation"]
    with pytest.raises(ConflictError):
        await b.cluster.patch_status(b.ref(DOC_PARSER), str(version(live)), {"summary": "late"})
    second = {"currentRevision": None, "replicas": 3}
    last = await b.cluster.patch_status(b.ref(DOC_PARSER), str(version(after)), second)
    found = {key: last["status"].get(key) for key in first}
    assert found == {"summary": "x", "currentRevision": None, "replicas": 3}


async def the_content_of_a_controller_revision_cannot_change(b: Backend) -> None:
    manifest = b.manifest(CONTROLLER_REVISION, revision=1, data={"shape": {"a": 1}})
    await b.cluster.apply(manifest, force=False)
    with pytest.raises(ApiError) as refused:
        await b.cluster.apply({**manifest, "data": {"shape": {"a": 2}}}, force=True)
    assert refused.value.status == 422
    renumbered = await b.cluster.apply({**manifest, "revision": 2}, force=True)
    assert (renumbered["revision"], renumbered["data"]) == (2, {"shape": {"a": 1}})


async def a_lease_is_made_once_and_replaced_by_version(b: Backend) -> None:
    lease = b.manifest(LEASE, spec={"holderIdentity": "a", "leaseDurationSeconds": 10})
    made = await b.cluster.create(LEASE, b.namespace, lease)
    with pytest.raises(ConflictError):
        await b.cluster.create(LEASE, b.namespace, lease)
    renewed = copy.deepcopy(made)
    renewed["spec"]["holderIdentity"] = "b"
    await b.cluster.replace(LEASE, b.namespace, renewed)
    with pytest.raises(ConflictError):
        await b.cluster.replace(LEASE, b.namespace, renewed)


async def a_list_is_filtered_and_says_of_when_it_is(b: Backend) -> None:
    live = await b.cluster.apply(b.service(app="a"), force=False)
    selector = f"{names.LABEL_MANAGED_BY}={names.MANAGER}"
    found = await b.cluster.list(SERVICE, b.namespace, selector)
    assert [item["metadata"]["uid"] for item in found.items] == [live["metadata"]["uid"]]
    assert found.version >= version(live)
    b.edit(b.ref(SERVICE), {"metadata": {"labels": {names.LABEL_MANAGED_BY: None}}})
    assert (await b.cluster.list(SERVICE, b.namespace, selector)).items == []
    assert len((await b.cluster.list(SERVICE, b.namespace)).items) == 1


CHECKS: tuple[Check, ...] = (
    what_is_not_there_is_not_found,
    applying_the_same_again_makes_no_new_version,
    a_change_of_the_spec_makes_a_new_generation_and_one_of_a_label_does_not,
    what_is_applied_no_more_goes_and_what_others_set_stays,
    a_selector_is_taken_as_a_whole,
    fields_of_others_are_taken_only_by_force,
    an_older_version_or_another_identity_is_a_conflict,
    a_status_is_merged_and_null_removes,
    the_content_of_a_controller_revision_cannot_change,
    a_lease_is_made_once_and_replaced_by_version,
    a_list_is_filtered_and_says_of_when_it_is,
)
