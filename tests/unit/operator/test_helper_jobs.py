from typing import Any

import pytest
from docparser_api import names
from docparser_api.analysis import GoldenDocuments
from docparser_operator.desired.golden_job import golden_job
from docparser_operator.desired.metadata import pod_selector
from docparser_operator.desired.prune_job import prune_job
from docparser_operator.desired.rollback_job import rollback_job
from docparser_operator.kinds import Key, Manifest
from docparser_operator.revisions import wanted_revision
from docparser_operator.store import owner_key
from support.builders import ParserBuilder, a_parser

CLAIM = {"persistentVolumeClaim": {"claimName": "cache"}}
S3 = {"s3": {"bucket": "models"}, "secretRef": {"name": "keys"}}
MOUNTED = {"persistentVolumeClaim": {"claimName": "models"}}
PARSER = a_parser().with_spec(
    auth={"tokenSecretRef": {"name": "token", "key": "token"}},
    resources={"gpu": {"count": 1}},
    imagePullSecrets=[{"name": "registry"}],
)


def weighted(source: Manifest, cache: Manifest) -> ParserBuilder:
    weights = {"version": "1", "source": source, "manifest": {"sha256": "0" * 64}, "cache": cache}
    return PARSER.with_spec(model={"weights": weights})


def template(parser: ParserBuilder) -> Manifest:
    return wanted_revision(parser.built(), {}).template


def checking(parser: ParserBuilder) -> Manifest:
    return rollback_job(parser.built(), "reader-r-1", "abc", template(parser))


def golden() -> Manifest:
    documents = GoldenDocuments.model_validate({"configMapRef": {"name": "pages"}})
    return golden_job(PARSER.built(), "reader-g-1", template(PARSER), documents)


def pruning() -> Manifest:
    image = {"image": "example.org/runtime:1", "imagePullPolicy": "Always"}
    return prune_job(PARSER.built(), image, "cache", ["1-" + "0" * 16])


JOBS = {"golden": golden(), "rollback check": checking(PARSER), "prune": pruning()}


def pod(job: Manifest) -> dict[str, Any]:
    found: dict[str, Any] = job["spec"]["template"]["spec"]
    return found


def container(job: Manifest) -> dict[str, Any]:
    found: dict[str, Any] = pod(job)["containers"][0]
    return found


@pytest.mark.parametrize("name", JOBS)
def test_no_service_and_no_budget_selects_the_pod_of_a_helper(name: str) -> None:
    labels = JOBS[name]["spec"]["template"]["metadata"]["labels"]
    selector = pod_selector(PARSER.built().metadata, None)
    assert not selector.items() <= labels.items()
    known = {"apiVersion": "v1", "kind": "Pod"}
    metadata = {"namespace": "default", "name": "pod", "labels": labels}
    assert owner_key({**known, "metadata": metadata}) == Key("default", "reader")


@pytest.mark.parametrize("name", JOBS)
def test_a_helper_is_as_confined_as_a_serving_pod(name: str) -> None:
    serving = template(PARSER)["spec"]
    assert pod(JOBS[name])["securityContext"] == serving["securityContext"]
    assert container(JOBS[name])["securityContext"] == serving["containers"][0]["securityContext"]
    assert pod(JOBS[name])["automountServiceAccountToken"] is False
    assert "nvidia.com/gpu" not in str(container(JOBS[name])["resources"])


def test_golden_documents_are_read_with_the_token_of_the_service() -> None:
    assert [variable["name"] for variable in container(golden())["env"]] == [names.ENV_TOKEN]
    words = " ".join(container(golden())["args"])
    assert "--canary http://reader-canary.default.svc:80" in words
    assert "--stable http://reader-stable.default.svc:80" in words


@pytest.mark.parametrize(
    ("source", "cache", "arguments", "knows_weights"),
    [
        (S3, CLAIM, ["check"], True),
        (
            S3,
            {**CLAIM, "persistentVolumeClaim": {"claimName": "c", "accessMode": "ReadOnlyMany"}},
            ["check", "--full"],
            True,
        ),
        (MOUNTED, {}, ["check", "--full"], True),
        (S3, {}, ["check"], False),
    ],
    ids=["shared cache", "filled cache", "where they lie", "each pod its own"],
)
def test_a_rollback_check_reads_the_weights_where_they_lie(
    source: Manifest, cache: Manifest, arguments: list[str], *, knows_weights: bool
) -> None:
    job = checking(weighted(source, cache))
    assert container(job)["args"] == arguments
    model = next(v["value"] for v in container(job)["env"] if v["name"] == names.ENV_MODEL)
    assert ("weights" in model) is knows_weights
    assert "initContainers" not in pod(job)
    assert names.ENV_WEIGHTS_PREFIX not in str(job), "no credentials: nothing is fetched"
    assert pod(job)["imagePullSecrets"] == [{"name": "registry"}]
