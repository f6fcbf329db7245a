"""`spec.rollout.analysis`: what a new revision is judged by, against the one that serves."""

from pydantic import ConfigDict, Field

from docparser_api.base import ApiModel, cel, validations
from docparser_api.weights import ClaimSource
from docparser_api.workload import LocalReference


class ErrorRateCheck(ApiModel):
    """Share of requests that end in a server error (5xx other than 503)."""

    max_increase_percentage_points: int = Field(2, ge=0, le=100)
    """How far the new revision's share may lie above that of the serving one."""


class LatencyCheck(ApiModel):
    """99th percentile of the time to answer a document."""

    max_increase_percent: int = Field(50, ge=0, le=10_000)
    """How far the new revision's percentile may lie above that of the serving one, in percent of
    it. Differences below 0.05 seconds never count."""


class BadPagesCheck(ApiModel):
    """Share of pages that were cut off, or in which the model repeated itself."""

    max_increase_percentage_points: int = Field(2, ge=0, le=100)
    """How far the new revision's share may lie above that of the serving one."""


class PodsCheck(ApiModel):
    """Restarts of the new revision's containers, at any time of the rollout."""

    max_restarts: int = Field(2, ge=0, le=100)
    """Restarts of all its pods together that are tolerated."""
    max_out_of_memory_kills: int = Field(0, ge=0, le=100)
    """Kills for lack of memory that are tolerated."""


class PrometheusQuery(ApiModel):
    """A query with one number as its answer. One answer beyond min or max fails."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel("has(self.min) || has(self.max)", "set min or max, or both"),
        )
    )

    name: str = Field(max_length=63, pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    """Name under which the result appears in the status."""
    query: str = Field(min_length=1, max_length=4096)
    """PromQL. `{{canary}}` and `{{stable}}` stand for the revisions' hashes, `{{namespace}}` and
    `{{name}}` for those of this object."""
    min: float | None = None
    """Least value that passes."""
    max: float | None = None
    """Largest value that passes."""


class PrometheusCheck(ApiModel):
    """Queries to a Prometheus server."""

    address: str | None = Field(None, max_length=2048, pattern=r"^https?://[^\s?#]+$")
    """Address of the server. Default: the one in the operator's settings, with its token."""
    queries: list[PrometheusQuery] = Field(min_length=1, max_length=8)
    """Queries; each is a check of its own."""


class GoldenDocuments(ApiModel):
    """Documents with known text, read by both revisions.

    Files are pairs such as `table__invoice.png` and `table__invoice.md`; what stands before `__` is
    the layout class.
    """

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "has(self.configMapRef) != has(self.persistentVolumeClaim)",
                "set exactly one of configMapRef and persistentVolumeClaim",
            )
        )
    )

    config_map_ref: LocalReference | None = None
    """ConfigMap with the files."""
    persistent_volume_claim: ClaimSource | None = None
    """Volume with the files."""
    max_character_error_rate_increase: float = Field(0.01, ge=0, le=1)
    """How far the new revision's character error rate may lie above that of the serving one, in
    each layout class. 0.01 is one character in a hundred."""
    max_reading_order_decrease: float = Field(0.02, ge=0, le=1)
    """How far its reading-order score (0 to 1) may lie below."""
    max_table_similarity_decrease: float = Field(0.02, ge=0, le=1)
    """How far its table similarity (0 to 1) may lie below."""
    timeout_seconds: int = Field(900, ge=10, le=86_400)
    """Longest time for the whole set, in seconds; after it the check is Inconclusive."""


class AnalysisSpec(ApiModel):
    """What a new revision is judged by.

    The checks run during the whole rollout; the step `analysis` waits until all have passed.
    """

    interval_seconds: int = Field(10, ge=1, le=300)
    """Time between two looks at the pods' metrics and two askings of the queries, in seconds."""
    minimum_requests: int = Field(50, ge=1, le=1_000_000)
    """Requests, for loops and truncation pages, that the new revision must have answered before
    it can pass; for latency the serving one, too. Counting begins anew with each `setWeight` and
    `setReplicas`."""
    patience_seconds: int = Field(600, ge=0, le=86_400)
    """Time that a step `analysis` waits beyond its own duration for all checks to pass, in seconds.
    After it the rollout counts as paused: somebody promotes or aborts it, or the checks pass after
    all."""
    error_rate: ErrorRateCheck = ErrorRateCheck()
    """Server errors."""
    latency: LatencyCheck = LatencyCheck()
    """Time to answer."""
    loops: BadPagesCheck = BadPagesCheck()
    """Pages in which the model repeated itself."""
    truncation: BadPagesCheck = BadPagesCheck()
    """Pages that were cut off."""
    pods: PodsCheck = PodsCheck()
    """Restarts and kills."""
    prometheus: PrometheusCheck | None = None
    """Queries to a Prometheus server."""
    golden_documents: GoldenDocuments | None = None
    """Documents with known text."""
