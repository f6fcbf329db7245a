"""Changes of who decides how many pods run: every fault is tried on them, too."""

from convergence.scenarios import BASE, REPLICAS
from convergence.topologies import move
from docparser_operator.kinds import Manifest

RULES: Manifest = {
    "maxReplicas": 2 * REPLICAS,
    "pagesPerMinute": 60,
    "keda": {"prometheusAddress": "http://prometheus:9090"},
}
BUILT_IN, HPA, KEDA = (
    BASE.with_spec(autoscaling={**RULES, "mode": mode}) for mode in ("Builtin", "HPA", "KEDA")
)

MODES = {
    "to a HorizontalPodAutoscaler": move(BUILT_IN, HPA, REPLICAS, REPLICAS),
    "from a HorizontalPodAutoscaler to KEDA": move(HPA, KEDA, REPLICAS, REPLICAS),
    "from KEDA to the built-in autoscaler": move(KEDA, BUILT_IN, REPLICAS, REPLICAS),
    "from KEDA to a number of one's own": move(KEDA, BASE, REPLICAS, REPLICAS),
}
