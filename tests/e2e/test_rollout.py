from support.e2e import Client, Deployment
from support.eventually import eventually
from support.kubectl import Kubectl, Manifest

PARSE = "/v1/document/parse"


def test_an_edit_under_constant_requests_fails_none(fake: Deployment, client: Client) -> None:
    first = fake.status()["currentRevision"]
    traffic = client.traffic(fake.url(PARSE), seconds=40)
    eventually(traffic.running, bool)

    fake.patch({"model": {"name": "two"}})
    fake.wait_ready()
    status = fake.status()
    assert traffic.running(), "the rollout took longer than the traffic"
    counts = traffic.result()

    assert status["currentRevision"] != first
    assert status["currentRevisionNumber"] == 2
    assert counts["failures"] == 0, counts
    assert counts["sent"] > 50, counts
    assert set(counts["models"]) == {"one", "two"}, "both revisions served, one after the other"


def test_an_edit_in_place_never_runs_more_pods_than_asked_for(
    fake: Deployment, client: Client
) -> None:
    fake.patch({"rollout": {"strategy": "InPlace"}})
    traffic = client.traffic(fake.url(PARSE), seconds=50)
    eventually(traffic.running, bool)

    fake.patch({"model": {"name": "two"}})
    most: list[str] = []

    def complete() -> bool:
        nonlocal most
        most = max(most, [describe(pod) for pod in fake.pods()], key=len)
        return fake.condition("Progressing").get("reason") == "RolloutComplete"

    eventually(complete, bool, 90, "rolled out in place")
    counts = traffic.result()
    assert len(most) <= 2, most
    assert counts["failures"] == 0, counts
    assert "two" in counts["models"]


def test_revert_returns_to_the_earlier_revision(fake: Deployment, kubectl: Kubectl) -> None:
    first = fake.status()["currentRevision"]
    fake.patch({"model": {"name": "two"}})
    fake.wait_ready()
    fake.patch({"model": {"name": "one"}})
    fake.wait_ready()

    status = fake.status()
    assert status["currentRevision"] == first
    assert status["currentRevisionNumber"] == 3
    revisions = kubectl.list("controllerrevisions")
    assert len(revisions) == 2
    assert {pod["metadata"]["labels"]["docparser.dev/revision"] for pod in fake.pods()} == {first}


def test_an_edit_that_no_pod_sees_rolls_nothing(fake: Deployment) -> None:
    before = sorted(pod["metadata"]["uid"] for pod in fake.pods())
    fake.patch({"service": {"port": 8000}, "revisionHistoryLimit": 3})
    fake.wait_ready()
    assert sorted(pod["metadata"]["uid"] for pod in fake.pods()) == before


def test_revisions_beyond_the_limit_are_forgotten(fake: Deployment, kubectl: Kubectl) -> None:
    fake.patch({"model": {"name": "two"}, "revisionHistoryLimit": 0})
    fake.wait_ready()
    eventually(
        lambda: [r["metadata"]["name"] for r in kubectl.list("controllerrevisions")],
        lambda names: names == [f"fake-{fake.status()['currentRevision']}"],
        30,
        "only the current revision is kept",
    )


def test_orphaned_children_are_adopted(fake: Deployment, kubectl: Kubectl) -> None:
    pods = sorted(pod["metadata"]["uid"] for pod in fake.pods())
    spec = (kubectl.get("dpd", "fake") or {})["spec"]
    kubectl.run("delete", "dpd", "fake", "--cascade=orphan")
    fake.apply(spec)
    fake.wait_ready()
    assert sorted(pod["metadata"]["uid"] for pod in fake.pods()) == pods


def test_pods_changed_by_hand_are_replaced_by_their_revision(
    fake: Deployment, kubectl: Kubectl
) -> None:
    name = f"deployment/fake-{fake.status()['currentRevision']}"
    kubectl.run("set", "env", name, "ADDED=by-hand")
    eventually(
        lambda: kubectl.run("get", name, "-o", "jsonpath={.spec.template}"),
        lambda template: "ADDED" not in template,
        30,
        "the variable is gone",
    )
    fake.wait_ready()


def test_scale_through_kubectl(fake: Deployment, kubectl: Kubectl) -> None:
    kubectl.run("scale", "dpd/fake", "--replicas=3")
    eventually(fake.status, lambda s: s.get("availableReplicas") == 3, 60, "three pods")
    kubectl.run("scale", "dpd/fake", "--replicas=0")
    fake.wait_condition("Ready", "False", "ScaledToZero")
    eventually(fake.pods, lambda pods: not pods, 60, "no pod")


def test_killed_operator_is_replaced_and_the_rollout_ends(
    fake: Deployment, client: Client, cluster: Kubectl
) -> None:
    traffic = client.traffic(fake.url(PARSE), seconds=60)
    eventually(traffic.running, bool)
    fake.patch({"model": {"name": "two"}})
    eventually(
        lambda: fake.condition("Progressing").get("reason"),
        lambda reason: reason in {"RollingOut", "RetiringOldRevision"},
        30,
        "in mid-rollout",
    )
    system = cluster.within("docparser-system")
    system.run(
        "delete",
        "pod",
        "-l",
        "app.kubernetes.io/name=docparser-operator",
        "--force",
        "--grace-period=0",
    )
    fake.wait_ready(120)
    counts = traffic.result()
    assert fake.status()["currentRevisionNumber"] == 2
    assert counts["failures"] == 0, counts


def describe(pod: Manifest) -> str:
    """Return what matters of a pod while revisions change places."""
    metadata = pod["metadata"]
    times = f"since {metadata['creationTimestamp']} until {metadata.get('deletionTimestamp')}"
    return f"{metadata['name']} {times}"
