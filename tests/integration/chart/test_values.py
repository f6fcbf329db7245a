"""What the chart makes of its values, without a cluster."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from docparser_operator import settings
from docparser_operator.settings import Settings
from support.helm import (
    CHART,
    RELEASE,
    REPOSITORY,
    SYSTEM,
    Helm,
    HelmError,
    Manifest,
    of_kind,
    one,
    plain_objects,
)

EXAMPLES = sorted((CHART / "examples").glob("*.yaml"))
VALUES = {"default": (), **{path.stem: ("--values", str(path)) for path in EXAMPLES}}
every_values = pytest.mark.parametrize("options", VALUES.values(), ids=VALUES)
DIGEST = "sha256:" + "0" * 64


def container(objects: list[Manifest]) -> Manifest:
    """Return the operator's container."""
    (found,) = one(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert isinstance(found, dict)
    return found


def settings_of(objects: list[Manifest]) -> Settings:
    """Return the settings that the operator reads from its container's environment."""
    environment = {
        variable["name"]: variable.get("value", SYSTEM) for variable in container(objects)["env"]
    }
    return settings.load(environment)


def test_a_digest_of_the_image_wins_over_its_tag(chart: Helm) -> None:
    digest = "sha256:" + "a" * 64
    objects = chart.rendered("--set", f"image.digest={digest},image.tag=1.2.3,image.repository=r/o")
    containers = one(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    assert [container["image"] for container in containers] == [f"r/o@{digest}"]


def test_by_default_it_is_the_plain_installation(chart: Helm) -> None:
    ours, plain = container(chart.rendered()), plain_objects("operator.yaml")[0]
    theirs = plain["spec"]["template"]["spec"]["containers"][0]
    assert ours.pop("env")[0] == theirs.pop("env")[0]
    assert ours == theirs
    assert settings_of(chart.rendered()) == Settings(namespace=SYSTEM)


@every_values
def test_pods_keep_the_restricted_standard(chart: Helm, options: tuple[str, ...]) -> None:
    pod = one(chart.rendered(*options), "Deployment")["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    assert {kind for volume in pod.get("volumes", []) for kind in volume} <= {"name", "secret"}
    for found in pod["containers"]:
        assert found["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


@every_values
def test_selectors_find_the_pods(chart: Helm, options: tuple[str, ...]) -> None:
    objects = chart.rendered(*options)
    labels = one(objects, "Deployment")["spec"]["template"]["metadata"]["labels"].items()
    selectors = [o["spec"]["selector"]["matchLabels"] for o in of_kind(objects, "Deployment")]
    budgets = of_kind(objects, "PodDisruptionBudget")
    selectors += [budget["spec"]["selector"]["matchLabels"] for budget in budgets]
    policies = of_kind(objects, "NetworkPolicy")
    selectors += [policy["spec"]["podSelector"]["matchLabels"] for policy in policies]
    selectors += [service["spec"]["selector"] for service in of_kind(objects, "Service")]
    assert all(selector.items() <= labels for selector in selectors)
    for monitor in of_kind(objects, "ServiceMonitor"):
        selected = monitor["spec"]["selector"]["matchLabels"].items()
        assert selected <= one(objects, "Service")["metadata"]["labels"].items()


def test_the_example_for_production_is_locked_in_and_watched(chart: Helm) -> None:
    objects = chart.rendered(*VALUES["prod"])
    kinds = {"NetworkPolicy", "PodDisruptionBudget", "ServiceMonitor", "Service"}
    assert kinds <= {found["kind"] for found in objects}
    pod = one(objects, "Deployment")["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == f"registry.example.org/docparser-operator@{DIGEST}"
    assert pod["imagePullSecrets"] == [{"name": "registry"}]
    assert pod["priorityClassName"] == "system-cluster-critical"
    assert {s["whenUnsatisfiable"] for s in pod["topologySpreadConstraints"]} == {"DoNotSchedule"}
    policy = one(objects, "NetworkPolicy")["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    open_ports = {port["port"] for rule in policy["egress"] for port in rule["ports"]}
    assert open_ports == {53, 443, 6443, 8080, 9090}


def test_the_example_for_development_is_small(chart: Helm) -> None:
    objects = chart.rendered(*VALUES["dev"])
    assert one(objects, "Deployment")["spec"]["replicas"] == 1
    assert of_kind(objects, "PodDisruptionBudget") == []
    assert settings_of(objects).log_level == "debug"


def test_the_crd_is_the_generated_one_and_outlives_the_release(chart: Helm) -> None:
    found = one(chart.rendered(), "CustomResourceDefinition")
    assert found["metadata"].pop("annotations") == {"helm.sh/resource-policy": "keep"}
    assert found["metadata"].pop("labels")["app.kubernetes.io/managed-by"] == "Helm"
    assert found == yaml.safe_load((REPOSITORY / "crds/docparserdeployments.yaml").read_text())
    without = chart.rendered("--set", "crds.enabled=false")
    assert of_kind(without, "CustomResourceDefinition") == []


def test_the_namespaces_to_serve_arrive(chart: Helm) -> None:
    objects = chart.rendered("--set", "watchNamespaces={ocr,archive}")
    assert settings_of(objects).watch_namespaces == ("ocr", "archive")


def test_settings_arrive(chart: Helm) -> None:
    given = {
        "workers": "7",
        "port": "9000",
        "resyncSeconds": "30",
        "logLevel": "warning",
        "prometheus.address": "http://prometheus:9090",
        "prometheus.tokenSecret.name": "access",
    }
    objects = chart.rendered(*(w for k, v in given.items() for w in ("--set", f"{k}={v}")))
    assert settings_of(objects) == Settings(
        namespace=SYSTEM,
        workers=7,
        port=9000,
        resync_seconds=30,
        log_level="warning",
        prometheus_address="http://prometheus:9090",
        prometheus_token_file=Path("/etc/docparser/prometheus/token"),
    )
    (volume,) = one(objects, "Deployment")["spec"]["template"]["spec"]["volumes"]
    assert volume["secret"]["secretName"] == "access"
    assert container(objects)["volumeMounts"][0]["mountPath"] == "/etc/docparser/prometheus"


def test_the_platform_may_choose_the_user(chart: Helm) -> None:
    objects = chart.rendered("--set", "runAsUser=null", "--set", "runAsGroup=null")
    pod = one(objects, "Deployment")["spec"]["template"]["spec"]
    assert not {"runAsUser", "runAsGroup"} & set(pod["securityContext"])


def test_rules_and_dashboards_are_shipped_word_for_word(copy: Helm) -> None:
    alert = {"alert": "A", "expr": "up == 0", "annotations": {"summary": "{{ $labels.pod }}"}}
    rules = {"groups": [{"name": "g", "rules": [alert]}]}
    (copy.chart / "files/rules").mkdir(exist_ok=True)
    (copy.chart / "files/rules/of_a_test.yaml").write_text(yaml.safe_dump(rules))
    board = '{"title": "{{ not Helm\'s }}",\n "panels": []}\n'
    (copy.chart / "files/dashboards").mkdir(exist_ok=True)
    (copy.chart / "files/dashboards/of_a_test.json").write_text(board)
    switches = ("--set", "prometheusRule.enabled=true", "--set", "dashboards.enabled=true")
    objects = copy.rendered(*switches)
    named = [o for o in objects if o["metadata"]["name"] == f"{RELEASE}-of-a-test"]
    assert one(named, "PrometheusRule")["spec"] == rules
    assert one(named, "ConfigMap")["data"] == {"of_a_test.json": board}
    assert one(named, "ConfigMap")["metadata"]["labels"]["grafana_dashboard"] == "1"


def test_every_file_of_rules_makes_an_object_of_its_own(chart: Helm) -> None:
    files = sorted((CHART / "files/rules").glob("*.yaml"))
    found = of_kind(chart.rendered("--set", "prometheusRule.enabled=true"), "PrometheusRule")
    assert [o["spec"] for o in found] == [yaml.safe_load(f.read_text()) for f in files]
    assert [o["metadata"]["name"] for o in found] == [f"{RELEASE}-{file.stem}" for file in files]


REFUSED: dict[str, Any] = {
    "replica": 3,
    "replicas": 0,
    "image.name": "x",
    "image.digest": "sha256:abc",
    "image.pullPolicy": "Sometimes",
    "watchNamespaces": ["Not A Name"],
    "logLevel": "loud",
    "workers": 0,
    "port": 80,
    "prometheus.address": "prometheus:9090",
    "resources.limits.memory": "much",
    "networkPolicy.apiServerPorts": [],
    "topologySpread.whenUnsatisfiable": "Maybe",
    "runAsUser": 0,
    "crds.keep": False,
}


@pytest.mark.parametrize("path", REFUSED)
def test_a_value_that_does_not_fit_is_refused(chart: Helm, path: str) -> None:
    with pytest.raises(HelmError, match="values don't meet the specifications"):
        chart.rendered("--set-json", f"{path}={json.dumps(REFUSED[path])}")
