"""What is asked for, and by whom as the client says: in status, Events and the record."""

from docparser_api import names
from docparser_api.claims import with_claims
from docparser_operator.kinds import EVENT, Manifest
from support.world import World
from unit.operator.reconcile_case import BROKEN, LONG, PARSER, REF, a_settled_world

AT = "2026-01-01T12:30:00Z"
PAUSE, ABORT = names.ANNOTATION_PAUSE, names.ANNOTATION_ABORT


def ask(world: World, changes: dict[str, str | None], by: str | None) -> None:
    """Do what the plugin does: write the annotations and the claim in one request."""
    now = world.parser()["metadata"].get("annotations", {})
    values = {**changes, names.ANNOTATION_REQUESTED_BY: with_claims(now, changes, by, AT)}
    world.cluster.edit(REF, {"metadata": {"annotations": values}})
    world.settle()


def requests(world: World) -> list[Manifest]:
    found: list[Manifest] = world.parser()["status"]["requests"]
    return found


def told(world: World) -> list[str]:
    """Return what the Events say of requests."""
    events = world.cluster.of_kind(EVENT)
    events.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
    return [event["message"] for event in events if event["reason"] == "Requested"]


def test_status_and_event_say_who_asked_as_the_client_says() -> None:
    world = a_settled_world()
    ask(world, {PAUSE: "true"}, "ada")
    (request,) = requests(world)
    assert request["name"] == "pause"
    assert (request["value"], request["claimedBy"], request["claimedAt"]) == ("true", "ada", AT)
    assert told(world) == [f"pause=true is asked for, by ada at {AT}, as the client says"]


def test_who_takes_it_back_is_told_too() -> None:
    world = a_settled_world()
    ask(world, {PAUSE: "true"}, "ada")
    ask(world, {PAUSE: None}, "bob")
    assert told(world)[-1] == f"pause is taken back, by bob at {AT}, as the client says"
    assert "value" not in requests(world)[0]


def test_an_annotation_by_other_means_names_nobody() -> None:
    world = a_settled_world()
    ask(world, {PAUSE: "true"}, "ada")
    world.cluster.edit(REF, {"metadata": {"annotations": {PAUSE: None}}})
    world.settle()
    world.cluster.edit(REF, {"metadata": {"annotations": {ABORT: "7"}}})
    world.settle()
    assert told(world)[1:] == [
        "pause is taken back, by whom no client said",
        "abort=7 is asked for, by whom no client said",
    ]
    assert [request.get("claimedBy") for request in requests(world)] == [None]


def test_an_aborted_revision_keeps_who_aborted_it() -> None:
    world = a_settled_world()
    world.apply(BROKEN)
    world.settle(10)
    ask(world, {ABORT: str(world.parser()["status"]["updateRevisionNumber"])}, "ada\nroot")
    failure = world.parser()["status"]["rollout"]["failure"]
    assert failure.endswith(f"asked for it, by ada root at {AT}, as the client says")


def test_at_rest_nothing_more_is_written() -> None:
    world = a_settled_world()
    ask(world, {PAUSE: "true"}, "ada")
    before = len(world.cluster.writes)
    world.full_sync()
    world.settle(LONG)
    assert len(world.cluster.writes) == before


def test_without_requests_the_status_has_none() -> None:
    world = World()
    world.apply(PARSER)
    world.settle(LONG)
    assert requests(world) == []
    assert told(world) == []
