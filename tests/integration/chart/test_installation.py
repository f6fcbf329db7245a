"""The chart on a real API server: installed, upgraded, rolled back, removed, with work going on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from docparser_api import names
from support.eventually import eventually
from support.helm import CHART, RELEASE, SYSTEM, Helm
from support.kubectl import Kubectl, Manifest
from support.operator_process import OperatorProcess

from ..conftest import a_parser, make_pods_ready, serving_pods, wait_serving  # noqa: TID252
from .conftest import as_service_account

DEFINITION = "docparserdeployments.docparser.dev"
CHILDREN = "deployments,services,serviceaccounts,controllerrevisions,poddisruptionbudgets,pods"
# What needs the Prometheus operator is left out.
PRODUCTION = (
    "--values",
    str(CHART / "examples/prod.yaml"),
    "--set",
    "serviceMonitor.enabled=false,prometheusRule.enabled=false",
)
CANARY = {"strategy": "Canary", "steps": [{"setWeight": 50}, {"pause": {}}]}


@contextmanager
def operator(admin: Kubectl, folder: Path, **options: Any) -> Iterator[OperatorProcess]:
    """The operator with the rights that the chart gives it, as the kubelet would start it."""
    account = as_service_account(admin, RELEASE, folder)
    process = OperatorProcess(account, folder / "operator.log", **options).start()
    try:
        yield process
    finally:
        process.kill()
        print(process.log.read_text()[-5000:])


@pytest.fixture
def previous(copy: Helm, installed: Helm) -> Helm:
    """A chart of an older version, whose schema lacks `spec.rollout`."""
    older = installed.of(copy.chart)
    about = older.chart / "Chart.yaml"
    about.write_text(about.read_text().replace("0.1.0", "0.0.9"))
    definition = older.chart / "files/crd.yaml"
    crd = yaml.safe_load(definition.read_text())
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for spec in (schema["properties"]["spec"],):
        del spec["properties"]["rollout"]
        spec.pop("x-kubernetes-validations", None)  # some speak of the field
    definition.write_text(yaml.safe_dump(crd))
    return older


def test_it_is_upgraded_rolled_back_and_removed_with_a_deployment_at_work(
    bare: Kubectl, installed: Helm, previous: Helm, tmp_path: Path
) -> None:
    release = (RELEASE, "--namespace", SYSTEM)
    restricted_namespace(bare)
    previous.run("install", *release, str(previous.chart))
    eventually(lambda: len(replicas(bare)), lambda count: count == 2, 20, "both are let in")
    with operator(bare, tmp_path) as process:
        shut_out(process, bare)
        installed.run("upgrade", *release, str(installed.chart))
        process.wait_ready()
        at_a_canary(bare)
        before = state(bare)
        installed.run("upgrade", *release, str(installed.chart), *PRODUCTION)
        eventually(lambda: replicas(bare, "@sha256:"), bool, 20, "a new replica is let in")
        assert state(bare) == before, "the upgrade changed what the operator made"
        installed.run("rollback", *release, "2")
        assert state(bare) == before, "the way back changed what the operator made"
        assert process.process is not None
        assert process.process.poll() is None
    installed.run("uninstall", *release)
    eventually(lambda: left(bare), lambda found: found == [DEFINITION], 30, "the rest is gone")
    assert state(bare) == before, "the removal took something along"
    again(bare, installed)


def restricted_namespace(admin: Kubectl) -> None:
    """The release's namespace, which lets in only pods that keep the strictest standard."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    about = {"name": SYSTEM, "labels": labels}
    admin.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": about})


def replicas(admin: Kubectl, image: str = "") -> list[Manifest]:
    """The operator's pods, of an image with these words; no kubelet runs them."""
    pods = admin.list("pods", f"app.kubernetes.io/instance={RELEASE}")
    return [pod for pod in pods if image in pod["spec"]["containers"][0]["image"]]


def shut_out(process: OperatorProcess, admin: Kubectl) -> None:
    """The operator does not begin under a schema that lacks a field, and says which."""
    eventually(process.log.read_text, lambda log: "lacks spec.rollout" in log, 30, "it says so")
    assert not process.is_ready()
    assert admin.get("lease", RELEASE) is None


def at_a_canary(admin: Kubectl) -> None:
    """A deployment stands at a pause between two revisions."""
    admin.apply(a_parser("reader", replicas=2, rollout=CANARY))
    wait_serving(admin, "reader")
    image = "example.org/runtime:2"
    admin.apply(a_parser("reader", replicas=2, rollout=CANARY, image=image))

    def pause() -> Any:
        make_pods_ready(admin)
        found = admin.get("dpd", "reader") or {}
        return found.get("status", {}).get("rollout", {}).get("pause", {}).get("reason")

    eventually(pause, lambda reason: reason == "Step", 30, "at the pause")
    assert len(serving_pods(admin)) > 2


def again(admin: Kubectl, installed: Helm) -> None:
    """Installed anew, the release takes the definition back; then everything goes, in any order."""
    installed.run("install", RELEASE, str(installed.chart), "--namespace", SYSTEM)
    installed.run("uninstall", RELEASE, "--namespace", SYSTEM)
    admin.run("delete", "dpd", "--all", "--timeout=20s")
    eventually(lambda: state(admin), lambda found: found == {}, 30, "children go with their owner")
    admin.run("delete", "crd", DEFINITION, "--timeout=20s")


def state(admin: Kubectl) -> dict[str, tuple[str, Any]]:
    """The deployments with their specs, and the objects made for them, by identity."""
    parsers = admin.list("dpd") if admin.get("crd", DEFINITION) else []
    children = admin.list(CHILDREN, f"{names.LABEL_MANAGED_BY}={names.MANAGER}")
    return {
        f"{found['kind']}/{found['metadata']['name']}": (
            found["metadata"]["uid"],
            found["spec"] if found in parsers else None,
        )
        for found in [*parsers, *children]
    }


def left(admin: Kubectl) -> list[str]:
    """Names of all objects in the cluster that bear the release's name, and of Helm's records."""
    listed = admin.run("api-resources", "--verbs=list", "-o", "name").split()
    # Endpoints warn of their age, and events tell of the past.
    kinds = [k for k in listed if k not in {"endpoints", "events", "events.events.k8s.io"}]
    found: list[Manifest] = []
    for selector in (f"app.kubernetes.io/instance={RELEASE}", f"owner=helm,name={RELEASE}"):
        found += everywhere(admin).list(",".join(kinds), selector)
    return [one["metadata"]["name"] for one in found]


def everywhere(admin: Kubectl) -> Kubectl:
    """kubectl that lists all namespaces."""
    return AllNamespaces(admin.program, admin.kubeconfig)


class AllNamespaces(Kubectl):
    """kubectl without a namespace."""

    def argv(self, *args: str) -> list[str]:
        """Return the command line."""
        return [self.program, f"--kubeconfig={self.kubeconfig}", *args, "--all-namespaces"]


def test_for_some_namespaces_no_right_in_the_cluster_is_needed(
    bare: Kubectl, installed: Helm, tmp_path: Path
) -> None:
    for namespace in ("team", "elsewhere"):
        bare.run("create", "namespace", namespace)
    options = ("watchNamespaces={team}", "rbac.aggregate=false", "rbac.countGpus=false")
    switches = [word for option in options for word in ("--set", option)]
    place = ("--namespace", SYSTEM)
    installed.run("install", RELEASE, str(installed.chart), *place, "--create-namespace", *switches)
    with operator(bare, tmp_path, served="team") as process:
        process.wait_ready()
        for namespace in ("elsewhere", "team"):
            bare.within(namespace).apply(a_parser("reader"))
        wait_serving(bare.within("team"), "reader")
        assert bare.within("elsewhere").list("deployments") == []
        refused = [line for line in process.log.read_text().splitlines() if "403" in line]
        assert refused == []
    installed.run("uninstall", RELEASE, *place)
