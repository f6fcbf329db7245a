"""The real API server passes the checks that the memory cluster of the unit tests passes."""

import json

import pytest
from docparser_operator.cluster import connect
from docparser_operator.kinds import Manifest, Ref
from support.conformance import CHECKS, Backend, Check
from support.kubectl import Kubectl


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.__name__))
async def test_conformance(check: Check, kubectl: Kubectl) -> None:
    def edit(ref: Ref, patch: Manifest) -> None:
        what = f"{ref.kind.plural}.{ref.kind.version}.{ref.kind.group}".rstrip(".")
        plural = what if ref.kind.group else ref.kind.plural
        kubectl.run("patch", plural, ref.name, "--type=merge", "-p", json.dumps(patch))

    def submit(manifest: Manifest) -> None:
        kubectl.run("create", "-f", "-", stdin=json.dumps(manifest))

    cluster = await connect(lambda _verb, _kind: None, str(kubectl.kubeconfig))
    try:
        await check(Backend(cluster, kubectl.namespace, edit, submit))
    finally:
        await cluster.close()
