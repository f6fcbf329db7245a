"""Requests find a door and tasks find a reader at every moment, whatever topology follows which."""

import json

import pytest
from convergence.scenarios import ENOUGH_SECONDS, NEXT, Watchman
from convergence.topologies import CANARY, QUEUED, TOPOLOGIES, direct
from docparser_api import names
from docparser_operator.kinds import (
    CONFIG_MAP,
    CONTROLLER_REVISION,
    DEPLOYMENT,
    DISRUPTION_BUDGET,
    SERVICE,
    Ref,
)
from support.memory_senses import GOOD
from support.world import World


def split(world: World) -> dict[str, int]:
    """Return the shares of new tasks."""
    found = world.cluster.objects.get(Ref(CONFIG_MAP, "default", "reader-split"))
    return dict(json.loads(found["data"]["split.json"])["tracks"]) if found else {}


def entered(world: World) -> str:
    """Return what the Service selects: gateways, or pods with an engine."""
    service = world.cluster.objects[Ref(SERVICE, "default", "reader")]
    return str(service["spec"]["selector"].get(names.LABEL_PURPOSE, "pods"))


def revision_of(world: World, image: str) -> str:
    (found,) = (
        deployment["metadata"]["labels"][names.LABEL_REVISION]
        for deployment in world.cluster.of_kind(DEPLOYMENT)
        if deployment["spec"]["template"]["spec"]["containers"][0]["image"] == image
        and names.LABEL_REVISION in deployment["metadata"]["labels"]
    )
    return str(found)


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_request_finds_a_door_and_every_task_a_revision(name: str) -> None:
    scenario = TOPOLOGIES[name]
    world = scenario.begin()
    watchman = Watchman(world, scenario)
    lost: list[dict[str, int]] = []

    def look() -> None:
        watchman.look()
        service = world.cluster.objects.get(Ref(SERVICE, "default", "reader"))
        if service is not None and entered(world) == "gateway":
            known = {
                revision["metadata"]["labels"][names.LABEL_REVISION]
                for revision in world.cluster.of_kind(CONTROLLER_REVISION)
            }
            given = {track for track, share in split(world).items() if share}
            if not given or not given <= known:
                lost.append(split(world))

    world.cluster.on_change = look
    scenario.play(world)
    assert watchman.complaints == []
    assert lost == []


def test_a_first_revision_has_gateways_before_it_serves() -> None:
    world = World()
    world.apply(QUEUED)
    world.settle(ENOUGH_SECONDS)
    assert world.condition("Ready")["status"] == "True"
    assert (entered(world), world.capacity()) == ("gateway", 2)
    assert split(world) == {revision_of(world, "example.org/runtime:1"): 100}


def test_a_canary_gets_its_share_by_the_split() -> None:
    world = World()
    world.senses.evidence = GOOD
    world.apply(CANARY)
    world.settle(ENOUGH_SECONDS)
    world.apply(CANARY.with_image(NEXT))
    world.until(lambda world: 5 in split(world).values(), ENOUGH_SECONDS)
    assert split(world) == {
        revision_of(world, "example.org/runtime:1"): 95,
        revision_of(world, NEXT): 5,
    }
    assert world.pods(NEXT) == 1
    services = {service["metadata"]["name"] for service in world.cluster.of_kind(SERVICE)}
    assert services == {"reader"}, "workers have no door of their own"
    world.settle(ENOUGH_SECONDS)
    assert split(world) == {revision_of(world, NEXT): 100}


def test_nothing_is_left_of_the_gateways_once_the_queue_is_given_up() -> None:
    world = World()
    for parser in (QUEUED, direct(QUEUED), QUEUED.with_spec(topology=None, queue=None)):
        world.apply(parser.with_spec(revisionHistoryLimit=0))
        world.settle(ENOUGH_SECONDS)
    assert entered(world) == "pods"
    kinds = (DEPLOYMENT, DISRUPTION_BUDGET, CONFIG_MAP)
    left = [m["metadata"]["name"] for kind in kinds for m in world.cluster.of_kind(kind)]
    assert "reader-gateway" not in left
    assert "reader-split" not in left


def test_pods_that_leave_the_queue_take_over_its_tasks() -> None:
    world = World()
    for parser in (QUEUED, direct(QUEUED)):
        world.apply(parser)
        world.settle(ENOUGH_SECONDS)
    (deployment,) = world.cluster.of_kind(DEPLOYMENT)
    revision = deployment["metadata"]["labels"][names.LABEL_REVISION]
    assert split(world) == {revision: 100}
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    env = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert (env[names.ENV_TRACK], container["args"]) == (revision, ["serve"])
    assert env[names.ENV_SPLIT_FILE] == names.SPLIT_FILE
