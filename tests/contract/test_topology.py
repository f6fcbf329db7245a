"""What the operator gives workers and gateways is what the runtime makes of it."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docparser_api import names
from docparser_api.deployment import DocParserDeployment
from docparser_api.runtime import RuntimeConfig, longest_drain_seconds
from docparser_api.split import Split
from docparser_operator.desired.gateways import gateways
from docparser_operator.desired.pod import pod_template
from docparser_operator.desired.queue import split_config_map, split_of
from docparser_operator.revisions import content_of, shape_of
from docparser_runtime import config, logs, wiring
from docparser_runtime.__main__ import app
from docparser_runtime.roles import Role
from docparser_runtime.storage import access
from docparser_runtime.task_metrics import TaskMetrics
from docparser_runtime.tasks.keeping import keeping
from docparser_runtime.tasks.tracks import tracks_of
from docparser_runtime.tasks.wakeup import wake_up_of
from prometheus_client import CollectorRegistry
from support.builders import a_parser
from typer.core import TyperGroup
from typer.main import get_command

QUEUE = {
    "databaseUrlSecretRef": {"name": "database", "key": "url"},
    "objectStore": {
        "url": "s3://documents/reader",
        "endpoint": "http://store:9000",
        "region": "eu-1",
        "credentialsSecretRef": {"name": "store"},
    },
}
QUEUED = a_parser().with_spec(topology="Queue", queue=QUEUE).built()
DIRECT = a_parser().with_spec(queue=QUEUE).built()


def pod_of(parser: DocParserDeployment) -> dict[str, Any]:
    template = pod_template(parser.metadata, shape_of(parser.spec), "abc")
    return dict(template["spec"])


def gateway_of(parser: DocParserDeployment) -> dict[str, Any]:
    shape = shape_of(parser.spec)
    template = pod_template(parser.metadata, shape, "abc")
    _, deployment = gateways(parser, content_of(shape), template)
    return dict(deployment["spec"]["template"]["spec"])


PODS = {
    Role.WORKER: pod_of(QUEUED),
    Role.GATEWAY: gateway_of(QUEUED),
    Role.ALL: pod_of(DIRECT),
}


def environment(pod: dict[str, Any]) -> dict[str, str]:
    """Return the variables of the container, values of Secrets made up."""
    return {v["name"]: v.get("value", "secret") for v in pod["containers"][0]["env"]}


@pytest.mark.parametrize("role", PODS)
def test_the_arguments_start_the_role(role: Role) -> None:
    command = get_command(app)
    assert isinstance(command, TyperGroup)
    name, *rest = PODS[role]["containers"][0]["args"]
    serve = command.commands[name]
    assert serve.make_context(name, list(rest)).params["role"] == role


@pytest.mark.parametrize("role", PODS)
def test_queue_and_store_arrive(role: Role) -> None:
    environ = environment(PODS[role])
    config.load(environ, access.VARIABLES)
    kept = keeping(environ)
    assert kept is not None
    assert (kept.database_url, kept.store_url) == ("secret", "s3://documents/reader")
    store = access.read(environ)
    assert (store.endpoint, store.region) == ("http://store:9000", "eu-1")
    assert store.credentials.secret_access_key == "secret"


def test_workers_take_tasks_of_their_revision_and_the_others_split_them() -> None:
    kept = {role: keeping(environment(pod)) for role, pod in PODS.items()}
    found = {role: (k.track, k.split_file) for role, k in kept.items() if k is not None}
    split_file = Path(names.SPLIT_FILE)
    assert found[Role.WORKER] == ("abc", None)
    assert found[Role.ALL] == ("abc", split_file)
    assert found[Role.GATEWAY][1] == split_file


@pytest.mark.parametrize("role", [Role.GATEWAY, Role.ALL])
def test_the_split_is_mounted_where_it_is_looked_for(role: Role) -> None:
    (volume,) = (v for v in PODS[role]["volumes"] if "configMap" in v)
    (mount,) = (m for m in PODS[role]["containers"][0]["volumeMounts"] if m["name"] == "split")
    config_map = split_config_map(QUEUED.metadata, Split(tracks={"abc": 1}), 61)
    assert volume == {"name": "split", "configMap": {"name": config_map["metadata"]["name"]}}
    files = {f"{mount['mountPath']}/{key}" for key in config_map["data"]}
    assert files == {names.SPLIT_FILE, names.WAKE_UP_FILE}
    assert "subPath" not in mount, "changes would not arrive"


def test_the_split_is_read_as_it_was_written(tmp_path: Path) -> None:
    split = Split(tracks={"abc": 95, "def": 5})
    config_map = split_config_map(QUEUED.metadata, split, 61)
    for name, text in config_map["data"].items():
        (tmp_path / name).write_text(text)
    file = tmp_path / "split.json"
    kept = keeping(environment(PODS[Role.GATEWAY]))
    assert kept is not None
    log = logs.create(io.StringIO(), "info")
    tracks, _ = tracks_of(replace(kept, split_file=file), TaskMetrics(CollectorRegistry()), log)
    assert tracks.shares == split.tracks
    assert wake_up_of(file)() == 70, "in steps of ten seconds, and never too short"
    assert split_of(config_map) == split
    assert split_of({"data": {"split.json": "{"}}) is None


def test_a_worker_has_time_to_give_its_tasks_back_and_a_gateway_to_answer() -> None:
    grace = {role: pod["terminationGracePeriodSeconds"] for role, pod in PODS.items()}
    lame_duck = RuntimeConfig().lame_duck_seconds
    assert lame_duck + wiring._TASKS_PATIENCE_SECONDS < grace[Role.WORKER] <= 60
    assert grace[Role.GATEWAY] > longest_drain_seconds(RuntimeConfig())
    assert grace[Role.ALL] > longest_drain_seconds(RuntimeConfig())


def test_a_gateway_needs_no_gpu() -> None:
    parser = a_parser().with_spec(
        topology="Queue",
        queue=QUEUE,
        resources={"gpu": {"count": 1}, "limits": {"cpu": "4"}},
        scheduling={"nodeSelector": {"gpu": "yes"}},
    )
    pod = gateway_of(parser.built())
    assert pod["containers"][0]["resources"] == {"requests": {"cpu": "100m", "memory": "512Mi"}}
    assert "nodeSelector" not in pod
