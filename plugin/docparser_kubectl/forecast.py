"""What applying a file would do to pods. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from docparser_api.deployment import DocParserDeployment
from docparser_api.spec import DocParserDeploymentSpec
from docparser_operator.autoscaling.wanted import wanted_replicas
from docparser_operator.capacity import capacity_of, devices, fitting_pods
from docparser_operator.choice import Choice, choose, comes_back
from docparser_operator.observed import Observed
from docparser_operator.revisions import is_failed
from docparser_operator.serving import serving_revision
from docparser_operator.situation import Situation

from docparser_kubectl import fields
from docparser_kubectl.capacity import Room, room
from docparser_kubectl.dry_run import LAST_APPLIED
from docparser_kubectl.durations import Startup, startup
from docparser_kubectl.fields import Change
from docparser_kubectl.simulation import Course, play
from docparser_kubectl.subject import Subject
from docparser_kubectl.surroundings import Surroundings
from docparser_kubectl.weights_plan import Fetch, fetch


@dataclass(frozen=True)
class Forecast:
    """What would happen.

    Attributes:
        parser: the object as it would be.
        changes: its fields that would change.
        choice: the revision that would serve in the end, and why that one.
        stable: the revision that serves now.
        was_known: whether the new revision was there before.
        has_failed: whether it failed before and would not be tried.
        without_steps: whether it would skip the steps.
        course: how the rollout would go.
        room: room on the nodes; None where the user may not look.
    """

    parser: DocParserDeployment
    is_new_object: bool
    changes: list[Change]
    choice: Choice
    stable: str | None
    was_known: bool
    has_failed: bool
    without_steps: bool
    course: Course
    startup: Startup
    room: Room | None
    fetch: Fetch

    @property
    def has_changes(self) -> bool:
        """Whether the object would differ from what it is."""
        return self.is_new_object or bool(self.changes)

    @property
    def replaces_pods(self) -> bool:
        """Whether another revision than the serving one would get pods."""
        return self.choice.target.hash != self.stable and not self.has_failed

    @property
    def expected_seconds(self) -> float:
        """Time until the rollout is complete, people left out."""
        return self.course.waits_seconds + self.course.rounds * self.startup.seconds


def forecast(
    parser: DocParserDeployment, live: Subject | None, around: Surroundings, now: datetime
) -> Forecast:
    """Return what becomes of `live` once it is like `parser`."""
    observed = live.observed if live else Observed()
    choice = choose(parser, observed.revisions, now)
    target = choice.target
    stable = serving_revision(parser, observed, but=target.hash)
    begin = _situation(parser, observed, choice, stable, now)
    found = None
    if around.nodes is not None and around.pods is not None:
        found = room(around.nodes, around.pods, target.template["spec"])
    # Whether pods surge is the operator's decision, so its own count is taken.
    capacity = capacity_of(around.nodes or [], around.pods or []) if found else None
    fitting = fitting_pods(target.template, capacity)
    revisions = {**observed.revisions, target.hash: target}
    gpus = {name: sum(devices(r.template["spec"]).values()) for name, r in revisions.items()}
    course = play(replace(begin, fitting=fitting), gpus)
    weights, known = parser.spec.model.weights, list(observed.revisions.values())
    return Forecast(
        parser=parser,
        is_new_object=live is None,
        changes=_changes(parser, live),
        choice=choice,
        stable=stable,
        was_known=target.hash in observed.revisions,
        has_failed=begin.target_failed,
        without_steps=begin.straight or stable is None,
        course=course,
        startup=startup(live, parser.spec),
        room=found,
        fetch=fetch(weights, around.config_map, known, course.fresh),
    )


def _situation(
    parser: DocParserDeployment,
    observed: Observed,
    choice: Choice,
    stable: str | None,
    now: datetime,
) -> Situation:
    """Return what the operator would decide from, if nobody asked for anything by annotation."""
    window = parser.spec.rollout.rollback_window_revisions
    back = comes_back(choice.target, stable, observed.revisions, window)
    return Situation(
        replicas=wanted_replicas(parser),
        rules=parser.spec.rollout,
        target=choice.target.hash,
        target_failed=is_failed(choice.target, parser),
        stable=stable,
        rollout=parser.status.rollout,
        observed=observed,
        now=now,
        straight=choice.is_rolled_back or back,
        exact=parser.spec.service.gateway is not None,
    )


def _changes(parser: DocParserDeployment, live: Subject | None) -> list[Change]:
    """Return the fields of spec and the annotations that differ, defaults filled in."""
    if live is None:
        return []
    after = parser.spec.model_dump(by_alias=True, exclude_none=True, mode="json")
    before = fields.complete(DocParserDeploymentSpec, live.body["spec"])
    return [
        *fields.changes(_rooted("spec", before), _rooted("spec", after)),
        *fields.changes(
            _rooted("metadata.annotations", _annotations(live.metadata.annotations)),
            _rooted("metadata.annotations", _annotations(parser.metadata.annotations)),
        ),
    ]


def _rooted(root: str, content: dict[str, Any]) -> dict[str, Any]:
    return {root: content} if content else {}


def _annotations(found: dict[str, str]) -> dict[str, str]:
    """Return the annotations that mean something; kubectl's own record only repeats spec."""
    return {key: value for key, value in found.items() if key != LAST_APPLIED}
