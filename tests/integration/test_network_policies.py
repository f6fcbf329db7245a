"""NetworkPolicies on a real API server, which stores them but enforces none."""

from support.eventually import eventually
from support.kubectl import Kubectl
from support.operator_process import OperatorProcess

from .conftest import a_parser, wait_serving

MINE = "docparser.dev/deployment=reader"


def test_network_policies_come_and_go_with_the_field(
    kubectl: Kubectl, operator: OperatorProcess
) -> None:
    peers = [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]
    egress = [{"to": peers, "ports": [{"port": 5432}, {"port": 9000, "endPort": 9010}]}]
    kubectl.apply(a_parser("reader", networkPolicy={"allowFrom": peers, "egress": egress}))
    before = wait_serving(kubectl, "reader")
    found = {p["metadata"]["name"]: p["spec"] for p in kubectl.list("networkpolicies", MINE)}
    ends = ("", "-worker", "-gateway", "-golden", "-offline")
    assert set(found) == {f"reader{end}" for end in ends}
    assert found["reader"]["ingress"][0]["from"][0] == peers[0]
    assert found["reader"]["egress"][1]["to"] == peers
    assert found["reader-offline"].keys() == {"podSelector", "policyTypes"}
    kubectl.apply(a_parser("reader"))
    eventually(
        lambda: kubectl.list("networkpolicies", MINE), lambda left: not left, 20, "they are gone"
    )
    after = wait_serving(kubectl, "reader")
    assert before["status"]["currentRevision"] == after["status"]["currentRevision"]
