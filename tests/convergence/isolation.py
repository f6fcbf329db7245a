"""NetworkPolicies that come and go: every fault is tried on that, too."""

from convergence.scenarios import BASE, REPLICAS
from convergence.topologies import move

ISOLATED = BASE.with_spec(networkPolicy={"allowFrom": []})

ISOLATION = {
    "pods are shut off": move(BASE, ISOLATED, REPLICAS, REPLICAS),
    "pods are let out": move(ISOLATED, BASE, REPLICAS, REPLICAS),
}
