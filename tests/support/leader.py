"""The operator that leads in the cluster, and its sudden end."""

from support.eventually import eventually
from support.installation import SYSTEM
from support.kubectl import Kubectl

LEASE = "docparser-operator"


def leader(cluster: Kubectl) -> str:
    """Return the name of the pod that leads."""
    lease = cluster.within(SYSTEM).get("lease", LEASE)
    assert lease is not None, "nobody ever led"
    return str(lease["spec"].get("holderIdentity", "")).partition("_")[0]


def kill_leader(cluster: Kubectl) -> None:
    """Kill the pod that leads as by SIGKILL, and wait until another one does."""
    killed = eventually(lambda: leader(cluster), bool, 60, "somebody leads")
    system = cluster.within(SYSTEM)
    system.run("delete", "pod", killed, "--force", "--grace-period=0")
    eventually(lambda: leader(cluster), lambda name: name not in {"", killed}, 30, "another leads")
