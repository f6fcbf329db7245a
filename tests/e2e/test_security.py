import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from localcluster import paths
from support.e2e import PYTHON, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl

REPOSITORY = Path(__file__).parents[2]
OPERATOR = "system:serviceaccount:docparser-system:docparser-operator"

Right = tuple[str, str, str]
"""API group, resource, verb."""


@pytest.mark.runs_last  # when the audit log has seen all that the other tests caused
def test_the_operator_may_do_what_it_does_and_nothing_else(fake: Deployment) -> None:
    audit_log = paths.state().audit_log
    if not audit_log.exists():
        pytest.skip("kind keeps no audit log; `make test` on a local cluster does")
    used = set(rights_used(audit_log))
    # Server-side apply of a new object is a patch in the log and needs the right to create too.
    created = {"controllerrevisions", "deployments", "services", "serviceaccounts"}
    created |= {
        "poddisruptionbudgets",
        "jobs",
        "configmaps",
        "horizontalpodautoscalers",
        "scaledobjects",
        "networkpolicies",
    }
    used |= {(g, r, "create") for g, r, verb in used if verb == "patch" and r in created}
    granted = set(rights_granted())
    assert (granted - used, used - granted) == (set(), set()), "unused and missing rights"


def rights_used(audit_log: Path) -> Iterator[Right]:
    """Yield what the operator did; what every user may do (discovery) has no resource."""
    with audit_log.open() as lines:
        for line in lines:
            if OPERATOR not in line:
                continue
            entry = json.loads(line)
            if entry["user"]["username"] != OPERATOR or "objectRef" not in entry:
                continue
            what = entry["objectRef"]
            resource = "/".join(filter(None, (what["resource"], what.get("subresource"))))
            yield what.get("apiGroup", ""), resource, entry["verb"]


def rights_granted() -> Iterator[Right]:
    """Yield what the installed roles of the operator allow."""
    documents = yaml.safe_load_all((REPOSITORY / "charts/kustomize/default/rbac.yaml").read_text())
    for document in documents:
        if not document["metadata"]["name"].startswith("docparser-operator"):
            continue
        for rule in document.get("rules", []):
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    for verb in rule["verbs"]:
                        yield group, resource, verb


def test_pods_are_locked_in(fake: Deployment, kubectl: Kubectl) -> None:
    pod = fake.pods()[0]["metadata"]["name"]
    look = (
        "import os, json, pathlib\n"
        "def writable(path):\n"
        "    try:\n"
        "        pathlib.Path(path, 'x').write_text('x'); return True\n"
        "    except OSError:\n"
        "        return False\n"
        "print(json.dumps({'uid': os.getuid(), 'root': writable('/'), 'app': writable('/app'),\n"
        "  'tmp': writable('/tmp'), 'shm': writable('/dev/shm'),\n"
        "  'token': os.path.exists('/var/run/secrets/kubernetes.io/serviceaccount/token')}))\n"
    )
    found = json.loads(kubectl.run("exec", pod, "--", PYTHON, "-c", look))
    assert found == {
        "uid": 65532,
        "root": False,
        "app": False,
        "tmp": True,
        "shm": True,
        "token": False,
    }


def test_isolated_pods_serve_and_a_restart_is_not_needed(fake: Deployment) -> None:
    """Where the network plugin enforces nothing, this still shows what the operator makes."""
    before = {pod["metadata"]["uid"] for pod in fake.pods()}
    fake.patch({"networkPolicy": {}})
    mine = f"docparser.dev/deployment={fake.name}"
    eventually(
        lambda: fake.kubectl.list("networkpolicies", mine), bool, 30, "there are NetworkPolicies"
    )
    # An edit by hand is undone.
    change = {"spec": {"policyTypes": ["Ingress"]}}
    fake.kubectl.run("patch", "networkpolicy", fake.name, "--type=merge", "-p", json.dumps(change))
    eventually(
        lambda: fake.kubectl.get("networkpolicy", fake.name) or {},
        lambda policy: policy["spec"]["policyTypes"] == ["Ingress", "Egress"],
        30,
        "the policy is as it was",
    )
    fake.wait_ready()
    assert {pod["metadata"]["uid"] for pod in fake.pods()} == before
    fake.patch({"networkPolicy": None})
    eventually(
        lambda: fake.kubectl.list("networkpolicies", mine),
        lambda left: not left,
        30,
        "the NetworkPolicies are gone",
    )


def test_images_are_small() -> None:
    command = [sys.executable, "-m", "localcluster", "images", "--sizes"]
    environment = {"PYTHONPATH": str(REPOSITORY / "tests")}
    printed = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **environment}
    ).stdout
    sizes = json.loads(printed)
    print(sizes)
    assert sizes["operator"]["added_bytes"] < 120_000_000
    assert sizes["runtime"]["added_bytes"] < 600_000_000
