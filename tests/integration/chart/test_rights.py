"""What the operator may do: by the chart the same as by the plain installation."""

from support.helm import RELEASE, SYSTEM, Helm, Manifest, of_kind, one, plain_objects

Right = tuple[str, str, str, str]
"""API group, resource, verb, name of the object."""

NAMESPACED = ("--set", "watchNamespaces={ocr,archive}")


def rights(roles: list[Manifest]) -> set[Right]:
    """Return what roles allow."""
    return {
        (group, resource, verb, name)
        for role in roles
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        for name in rule.get("resourceNames", [""])
    }


def test_the_rights_are_those_of_the_plain_installation(chart: Helm) -> None:
    objects, plain = chart.rendered(), plain_objects("rbac.yaml")
    for kind in ("ClusterRole", "Role"):
        assert rights(of_kind(objects, kind)) == rights(of_kind(plain, kind))
    aggregated = [r for r in of_kind(objects, "ClusterRole") if r["metadata"]["name"] != RELEASE]
    assert rights(aggregated) == rights(
        [r for r in of_kind(plain, "ClusterRole") if r["metadata"]["name"] != RELEASE]
    )


def test_for_some_namespaces_there_are_rights_in_these_only(chart: Helm) -> None:
    objects = chart.rendered(*NAMESPACED, "--set", "rbac.aggregate=false")
    plain = of_kind(plain_objects("rbac.yaml"), "ClusterRole")
    everything = rights([role for role in plain if role["metadata"]["name"] == RELEASE])
    roles = [r for r in of_kind(objects, "Role") if r["metadata"]["namespace"] != SYSTEM]
    assert [role["metadata"]["namespace"] for role in roles] == ["ocr", "archive"]
    for role in roles:
        assert rights([role]) == {right for right in everything if right[1] != "nodes"}
    assert rights(of_kind(objects, "ClusterRole")) == {
        ("", "nodes", "list", ""),
        ("", "pods", "list", ""),
    }


def test_nothing_of_the_whole_cluster_is_needed_without_counting_gpus(chart: Helm) -> None:
    switches = ("rbac.aggregate=false", "rbac.countGpus=false", "crds.enabled=false")
    objects = chart.rendered(*NAMESPACED, *(word for s in switches for word in ("--set", s)))
    assert {found["metadata"].get("namespace") for found in objects} == {SYSTEM, "ocr", "archive"}


def test_every_binding_leads_from_the_service_account_to_a_role(chart: Helm) -> None:
    for options in ((), NAMESPACED):
        objects = chart.rendered(*options)
        account = one(objects, "ServiceAccount")["metadata"]
        there = {
            (o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]) for o in objects
        }
        bindings = of_kind(objects, "RoleBinding") + of_kind(objects, "ClusterRoleBinding")
        assert len(bindings) == 2 + 2 * bool(options)
        for binding in bindings:
            role, where = binding["roleRef"], binding["metadata"].get("namespace")
            assert (role["kind"], where, role["name"]) in there
            (subject,) = binding["subjects"]
            assert (subject["name"], subject["namespace"]) == (account["name"], SYSTEM)
