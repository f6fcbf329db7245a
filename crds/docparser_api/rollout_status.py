"""`status.rollout` and `status.rollback`: how far a rollout is, and what it was judged to be."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints

from docparser_api.base import ApiModel

Timestamp = Annotated[
    str,
    StringConstraints(max_length=32),
    Field(json_schema_extra={"format": "date-time"}),
]
"""Time in UTC, RFC 3339, whole seconds."""

# A newer operator may have written fields that this one does not know.
TOLERANT = ConfigDict(extra="ignore")


Verdict = Literal["Pass", "Fail", "Inconclusive"]


class Measurement(ApiModel):
    """One check of an analysis, with its numbers."""

    model_config = TOLERANT

    name: str = Field(max_length=128)
    """Check: errorRate, latencyP99Seconds, loopRate, truncationRate, restarts, outOfMemoryKills,
    prometheus/NAME, or golden/CLASS/MEASURE."""
    verdict: Verdict
    """Pass, Fail, or Inconclusive: too little was measured."""
    canary: float | None = None
    """Value of the new revision, or the answer to a query."""
    stable: float | None = None
    """Value of the serving revision over the same time."""
    limit: float | None = None
    """Largest value of the new revision that passes; for readingOrder and tableSimilarity, and for
    a query that came out too low, the least."""
    samples: int = Field(0, ge=0)
    """Requests, pages or documents of the new revision behind the value."""
    message: str = Field("", max_length=512)
    """What was compared, in words."""


class AnalysisStatus(ApiModel):
    """The judgement of the new revision so far."""

    model_config = TOLERANT

    verdict: Verdict
    """Fail if any check failed, else Inconclusive if any is, else Pass."""
    changed_at: Timestamp
    """When a check last changed its verdict; the numbers are those of that time."""
    measurements: Annotated[list[Measurement], Field(max_length=64)] = []
    """The checks."""


class RolloutPause(ApiModel):
    """Why a rollout waits."""

    model_config = TOLERANT

    reason: Literal["Step", "Requested", "Inconclusive"]
    """`Step`: a pause of spec.rollout.steps; `Requested`: the annotation docparser.dev/pause;
    `Inconclusive`: an analysis could not decide."""
    since: Timestamp
    """When it began."""


class RollbackStatus(ApiModel):
    """The rollback that the annotation docparser.dev/rollback-to asked for."""

    model_config = TOLERANT

    to: str = Field(max_length=512)
    """The annotation's value."""
    revision: str | None = Field(None, max_length=63)
    """Hash of the revision that is to run because of it; absent once it has ended."""
    spec_revision: str = Field(max_length=63)
    """Hash of the revision that spec asked for at that time; a spec with another one ends it."""
    since: Timestamp
    """When it began."""


class RequestStatus(ApiModel):
    """What somebody asked for by annotation."""

    model_config = TOLERANT

    name: str = Field(max_length=32)
    """Annotation without its prefix: promote, pause, abort, retry or rollback-to."""
    value: str | None = Field(None, max_length=512)
    """Its value; absent: it was taken back."""
    claimed_by: str | None = Field(None, max_length=256)
    """Who says to have done it, in the annotation docparser.dev/requested-by. No proof: that is in
    the audit log of the API server."""
    claimed_at: Timestamp | None = None
    """When, by the clock of that client."""
    since: Timestamp
    """When the operator saw it."""


class RolloutStatus(ApiModel):
    """The rollout that is under way, or the last one."""

    model_config = TOLERANT

    revision: str = Field(max_length=63)
    """Hash of the revision that is rolled out."""
    started_at: Timestamp
    """When it began."""
    progressed_at: Timestamp | None = None
    """When the revision last got more pods, or more available ones than ever before. The
    progress deadline counts from here."""
    available_pods: int = Field(0, ge=0)
    """Most pods of the revision that were available at the same time."""
    pods_wanted: int = Field(0, ge=0)
    """Most pods that the revision was asked to have; 0 once it serves."""
    promoted_at: Timestamp | None = None
    """When the Service moved to it."""
    completed_at: Timestamp | None = None
    """When the old revision was gone."""
    failed_at: Timestamp | None = None
    """When it was given up."""
    failure: str | None = Field(None, max_length=2048)
    """Why it was given up: a reason and the cluster's own words."""
    without_steps: bool = False
    """Whether it goes straight ahead: the first revision, a rollback, or the return to a revision
    within spec.rollout.rollbackWindowRevisions."""
    in_place: bool = False
    """Whether pods are replaced in place, by strategy or for lack of free GPUs."""
    steps: int = Field(0, ge=0)
    """Number of steps."""
    step_index: int = Field(0, ge=0)
    """Step that it is at, from 0; equal to `steps` once all are done."""
    steps_hash: str | None = Field(None, max_length=63)
    """Digest of the steps; other steps begin again from the first."""
    step_started_at: Timestamp | None = None
    """When the pods of this step were available, from which its duration counts."""
    weight: int = Field(0, ge=0, le=100)
    """Share of the requests that the new revision gets, in percent, as reached by its pods or the
    gateway."""
    pause: RolloutPause | None = None
    """Why it waits, if it does."""
    analysis: AnalysisStatus | None = None
    """What the new revision was found to be."""
