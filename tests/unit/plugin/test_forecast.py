import hashlib
import json
from typing import Any

import pytest
from docparser_api import names
from docparser_kubectl import plan_view
from docparser_kubectl.durations import startup
from docparser_kubectl.forecast import Forecast, forecast
from docparser_kubectl.obstacles import obstacles
from docparser_kubectl.subject import Subject
from docparser_kubectl.surroundings import Surroundings, Unseen
from docparser_operator.kinds import Manifest
from support.builders import ParserBuilder
from support.fake_clock import START

from .cases import BAD, CANARY, FAILED, NEW, OLD, a_revision, serving, subject, text, workload

GPU: dict[str, Any] = {"resources": {"gpu": {"count": 1}}}
LIVE = subject(serving(), OLD, pods=workload(OLD, 2))


def plan_of(
    builder: ParserBuilder, live: Subject | None = LIVE, around: Surroundings | None = None
) -> Forecast:
    return forecast(builder.built(), live, around or Surroundings(), START)


def words(found: Forecast, around: Surroundings | None = None) -> str:
    return text(plan_view.render(found, obstacles(found, around or Surroundings())), 200)


def node(gpus: int = 8, **spec: Any) -> Manifest:
    return {
        "metadata": {"name": "n1"},
        "spec": spec,
        "status": {
            "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "99", "nvidia.com/gpu": gpus},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def test_nothing_to_do() -> None:
    found = plan_of(serving())
    assert not found.has_changes
    assert f"1 ({OLD.hash}), as it is; nothing to do" in words(found)
    assert "none starts, none stops" in words(found)


def test_a_new_revision() -> None:
    found = plan_of(serving().with_image("example.org/runtime:2"))
    assert found.has_changes
    assert not found.was_known
    shown = words(found).splitlines()
    assert shown[:3] == [
        "Fields",
        '- spec.image: "example.org/runtime:1"',
        '+ spec.image: "example.org/runtime:2"',
    ]
    assert f"Revision  2 ({NEW.hash}), new" in shown
    assert "Pods      2 start, 2 stop, at most 4 at a time" in shown
    assert "Fetch     nothing, the weights are part of the image" in shown
    assert "Expected  about 35 s (pods take 30 s: as 2 present pods took)" in shown
    assert "2 pods start beside the old ones" in shown


def test_a_known_revision_comes_back_without_steps() -> None:
    new = a_revision(2, "example.org/runtime:2")
    live = subject(serving(new), OLD, new, pods=workload(new, 2))
    found = plan_of(serving(new).with_image("example.org/runtime:1").with_rollout(**CANARY), live)
    assert found.was_known
    assert "known from before, comes back" in words(found)
    assert "without steps, since it served lately" in words(found)


def test_a_canary_lists_its_steps() -> None:
    found = plan_of(serving(OLD, NEW).with_rollout(**CANARY))
    shown = words(found).splitlines()
    assert "1. wait until promoted" in shown
    assert any("and as long as it waits to be promoted" in line for line in shown)


def test_scaling_replaces_no_pod() -> None:
    shown = words(plan_of(serving().with_replicas(5)))
    assert "goes on serving, no pod is replaced" in shown
    assert "3 start, 0 stop, at most 5 at a time" in shown
    assert "How it goes" not in shown


def test_a_new_object() -> None:
    found = plan_of(serving().with_status(currentRevision=None), None)
    assert found.has_changes
    assert found.startup.is_bound
    assert f"1 ({OLD.hash}), new" in words(found)
    assert "at most 10 min (pods take 10 min: no rollout to learn from" in words(found)


def test_gpus_that_nobody_may_count() -> None:
    found = plan_of(serving(OLD, NEW).with_spec(**GPU))
    assert "at most 2 at a time; how many are free is unknown" in words(found)


def test_too_few_gpus_make_a_surge_go_in_place() -> None:
    live = subject(serving().with_spec(**GPU), a_revision(1, "example.org/runtime:1", **GPU))
    revision = next(iter(live.observed.revisions.values()))
    live = subject(serving(revision).with_spec(**GPU), revision, pods=workload(revision, 2))
    around = Surroundings(nodes=[node(gpus=1)], pods=[])
    wanted = serving(revision).with_spec(**GPU).with_image("example.org/runtime:2")
    found = plan_of(wanted, live, around)
    assert found.course.in_place
    assert "pods are replaced, at most 1 at a time" in words(found)
    assert "1 nvidia.com/gpu are free now" in words(found)
    assert obstacles(found, around) == [
        "too few GPUs are free for pods beside the old ones; they are replaced in place"
    ]


IN_THE_WAY: dict[str, tuple[ParserBuilder, Surroundings, str]] = {
    "no node": (serving(OLD, NEW), Surroundings([], []), "there are no nodes"),
    "no node that fits": (
        serving(OLD, NEW),
        Surroundings([node(unschedulable=True)], []),
        "no node can run a pod: 1 of 1 is cordoned",
    ),
    "no GPU on any node": (
        serving(OLD, NEW).with_spec(**GPU),
        Surroundings([node(gpus=0)], []),
        "1 of 1 has 0 nvidia.com/gpu, a pod needs 1",
    ),
    "a failed revision": (
        serving().with_image("example.org/runtime:3"),
        Surroundings(),
        "has failed and is not tried again; change spec, or: kubectl docparser retry reader",
    ),
    "a pause": (
        serving(OLD, NEW).with_annotation(names.ANNOTATION_PAUSE, "true"),
        Surroundings(),
        "kubectl docparser resume reader",
    ),
    "a rollback": (
        serving(OLD, NEW).with_annotation(names.ANNOTATION_ROLLBACK_TO, "1"),
        Surroundings(),
        "end it with: kubectl docparser rollback reader --end",
    ),
    "a misread annotation": (
        serving(OLD, NEW).with_annotation(names.ANNOTATION_ROLLBACK_TO, "9"),
        Surroundings(),
        "no kept revision is named '9'",
    ),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_what_is_in_the_way(what: str) -> None:
    builder, around, want = IN_THE_WAY[what]
    live = subject(serving(), OLD, BAD, pods=workload(OLD, 2))
    found = plan_of(builder, live, around)
    assert want in " | ".join(obstacles(found, around))


MANIFEST = json.dumps({"version": 1, "files": [{"size": 3 * 1024**3}, {"size": 1024**3}]})
DIGEST = hashlib.sha256(MANIFEST.encode()).hexdigest()
CONFIG_MAP = {"data": {"manifest.json": MANIFEST}}


def weights(**values: Any) -> Manifest:
    manifest = {"sha256": DIGEST, "configMapKeyRef": {"name": "m", "key": "manifest.json"}}
    source = {"http": {"url": "https://example.org/w"}}
    return {
        "engine": "fake",
        "weights": {"version": "v1", "source": source, "manifest": manifest, **values},
    }


CLAIM = {"cache": {"persistentVolumeClaim": {"claimName": "cache"}}}
ON_CLAIM = {"persistentVolumeClaim": {"claimName": "w"}}
READ_ONLY = {"claimName": "cache", "accessMode": "ReadOnlyMany"}
BESIDE = {"sha256": DIGEST}
FETCHES: dict[str, tuple[Manifest, Manifest | Unseen, str]] = {
    "for each pod": (weights(), CONFIG_MAP, "4.0 GiB by each of 2 pods"),
    "into a shared cache": (weights(**CLAIM), CONFIG_MAP, "4.0 GiB, once for all pods"),
    "from a cache that is full": (
        weights(cache={"persistentVolumeClaim": READ_ONLY}),
        CONFIG_MAP,
        "nothing, the cache must hold the weights already",
    ),
    "where they lie": (
        weights(source=ON_CLAIM),
        CONFIG_MAP,
        "nothing, the weights are read where they lie",
    ),
    "with a manifest elsewhere": (
        weights(manifest=BESIDE),
        Unseen.HIDDEN,
        "unknown, the manifest lies beside the files",
    ),
    "with a hidden manifest": (weights(), Unseen.HIDDEN, "unknown, you may not read"),
    "with a missing manifest": (
        weights(),
        Unseen.MISSING,
        "! ConfigMap m, key manifest.json, with the manifest of the weights does not exist",
    ),
    "with another manifest": (
        weights(),
        {"data": {"manifest.json": "{}"}},
        "pods would refuse the weights",
    ),
}


@pytest.mark.parametrize("what", FETCHES)
def test_what_is_fetched(what: str) -> None:
    model, config_map, want = FETCHES[what]
    around = Surroundings(config_map=config_map)
    found = plan_of(serving().with_spec(model=model), around=around)
    assert want in words(found, around)


def test_weights_that_are_in_the_cache_are_not_fetched_again() -> None:
    earlier = a_revision(1, "example.org/runtime:1", model=weights(**CLAIM))
    live = subject(serving(earlier), earlier, pods=workload(earlier, 2))
    wanted = serving(earlier).with_image("example.org/runtime:2")
    found = plan_of(wanted.with_spec(model=weights(**CLAIM)), live)
    assert "nothing, an earlier revision left these weights in the cache" in words(found)


CLAIMS: dict[str, tuple[Manifest | Unseen, list[str]]] = {
    "fits": ({"spec": {"accessModes": ["ReadWriteMany"]}}, []),
    "one node only": ({"spec": {"accessModes": ["ReadWriteOnce"]}}, ["is ReadWriteOnce, but spec"]),
    "missing": (Unseen.MISSING, ["the claim cache does not exist"]),
    "hidden": (Unseen.HIDDEN, []),
}


@pytest.mark.parametrize("what", CLAIMS)
def test_the_volume_of_the_cache(what: str) -> None:
    claim, want = CLAIMS[what]
    around = Surroundings(config_map=CONFIG_MAP, claim=claim)
    found = obstacles(plan_of(serving().with_spec(model=weights(**CLAIM)), around=around), around)
    assert len(found) == len(want)
    assert all(text in line for text, line in zip(want, found, strict=True))


def test_startup_is_learned_from_earlier_rollouts_where_no_pod_runs() -> None:
    spec = serving().built().spec
    learned = startup(subject(serving(), OLD, BAD), spec)
    assert (learned.seconds, learned.is_bound) == (120, False)
    nothing = startup(subject(serving(), a_revision(1, "example.org/runtime:1", FAILED)), spec)
    assert (nothing.seconds, nothing.is_bound) == (600, True)
