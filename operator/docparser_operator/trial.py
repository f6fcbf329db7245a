"""How a new revision is tried out: what it is judged by, and what is measured for that. Pure."""

from datetime import datetime

from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.status import AnalysisStatus

from docparser_operator import kinds
from docparser_operator.analysis.evidence import Evidence
from docparser_operator.analysis.promql import rendered
from docparser_operator.analysis.subject import ScrapedPod, Subject
from docparser_operator.desired.golden_job import golden_job, golden_name
from docparser_operator.desired.helper_job import GOLDEN
from docparser_operator.judgement import judged
from docparser_operator.kinds import Key, Manifest, Ref
from docparser_operator.observed import Observed
from docparser_operator.pods import Pod
from docparser_operator.revisions import Revision
from docparser_operator.situation import Decision


def judgement(
    parser: DocParserDeployment,
    observed: Observed,
    evidence: Evidence | None,
    target: str,
    now: datetime,
) -> AnalysisStatus | None:
    """Return what `target` was found to be; None while no rollout of it is under way."""
    running = parser.status.rollout
    if running is None or running.revision != target or running.promoted_at is not None:
        return None
    pods = [pod for pod in observed.pods if pod.revision == target]
    job = observed.jobs.get(golden_name(parser, target, running.started_at))
    return judged(parser.spec.rollout.analysis, evidence, pods, job, running.analysis, now)


def golden_documents(
    parser: DocParserDeployment, observed: Observed, decision: Decision, target: Revision
) -> list[Manifest]:
    """Return the Job that reads golden documents, as soon as a pod can read them."""
    documents = parser.spec.rollout.analysis.golden_documents
    workload = observed.workloads.get(target.hash)
    if documents is None or not decision.stepping or not (workload and workload.available):
        return []
    name = golden_name(parser, target.hash, decision.rollout.started_at)
    if name in observed.jobs:
        return []  # a Job cannot be changed; the answer of the one that runs counts
    return [golden_job(parser, name, target.template, documents)]


def finished_trials(
    parser: DocParserDeployment, observed: Observed, decision: Decision
) -> list[Ref]:
    """Return the Jobs of earlier rollouts; the latest stays for those who want to read its logs."""
    current = golden_name(parser, decision.rollout.revision, decision.rollout.started_at)
    return [
        Ref(kinds.JOB, parser.metadata.namespace, name)
        for name, job in observed.jobs.items()
        if job.purpose == GOLDEN and name != current
    ]


def subject(parser: DocParserDeployment, observed: Observed, decision: Decision) -> Subject | None:
    """Return what is to be measured at this step; None if nothing is."""
    if not decision.stepping or decision.stable is None:
        return None
    rollout, rules = decision.rollout, parser.spec.rollout.analysis
    sides = {rollout.revision: "canary", decision.stable: "stable"}
    share = _share_index(parser, rollout.step_index)
    # Later comparisons begin with pods that have counted before.
    since = rollout.started_at if share == _share_index(parser, 0) else None
    pods = tuple(
        _scraped(pod, sides[pod.revision], since)
        for pod in observed.pods
        if pod.revision in sides and pod.ready and _address(pod)
    )
    if all(pod.side == "stable" for pod in pods):
        # What the serving revision did alone, beside pods that start, is not of the same time.
        pods = ()
    key = Key(parser.metadata.namespace, parser.metadata.name)
    prometheus = rules.prometheus
    queries = prometheus.queries if prometheus else []
    return Subject(
        window=f"{rollout.revision}/{rollout.started_at}/{share}",
        pods=pods,
        interval_seconds=rules.interval_seconds,
        prometheus_address=prometheus.address if prometheus else None,
        queries=tuple(
            (q.name, rendered(q.query, rollout.revision, decision.stable, key)) for q in queries
        ),
    )


def _share_index(parser: DocParserDeployment, index: int) -> int:
    """Return the step that set the present share: what was measured before it counts no more."""
    steps = (parser.spec.rollout.steps or [])[: index + 1]
    setting = [i for i, s in enumerate(steps) if s.set_weight is not None or s.set_replicas]
    return max(setting, default=-1)


def _scraped(pod: Pod, side: str, since: str | None) -> ScrapedPod:
    created = pod.manifest["metadata"].get("creationTimestamp")
    return ScrapedPod(
        uid=pod.manifest["metadata"]["uid"],
        address=f"{_address(pod)}:{names.PORT}",
        side="canary" if side == "canary" else "stable",
        born_in_window=None not in {created, since} and created >= since,
    )


def _address(pod: Pod) -> str:
    address = str(pod.manifest.get("status", {}).get("podIP", ""))
    return f"[{address}]" if ":" in address else address
