"""`spec.topology`, `spec.queue` and `spec.gateways`: requests that wait in a queue for workers."""

from typing import Literal

from pydantic import Field

from docparser_api.base import ApiModel, cel
from docparser_api.workload import LocalReference, ResourceAmounts, SecretKey

Topology = Literal["Direct", "Queue"]


class ObjectStore(ApiModel):
    """An S3-compatible store of uploads and results."""

    url: str = Field(max_length=1024, pattern=r"^s3://[a-z0-9][a-z0-9.-]*(/[A-Za-z0-9._/-]+)?$")
    """Bucket and prefix, as `s3://BUCKET/PREFIX`."""
    endpoint: str | None = Field(None, max_length=2048, pattern=r"^https?://[^\s/]+/?$")
    """Address of the store. Default: that of Amazon S3 for the region."""
    region: str = Field("us-east-1", max_length=64, pattern=r"^[A-Za-z0-9-]+$")
    """Region of the bucket."""
    credentials_secret_ref: LocalReference | None = None
    """Secret with the keys `accessKeyId`, `secretAccessKey` and, if need be, `sessionToken`.
    Absent: requests are not signed."""


class Queue(ApiModel):
    """Where tasks are kept: nothing that was accepted is lost with a pod."""

    database_url_secret_ref: SecretKey
    """Key of a Secret that holds the address of a PostgreSQL database, as
    `postgresql://USER:PASSWORD@HOST/DATABASE`. Its tables are made by the pods."""
    object_store: ObjectStore
    """Where uploads and results lie."""


class GatewayResources(ApiModel):
    """CPU and memory of each gateway."""

    requests: ResourceAmounts = Field({"cpu": "100m", "memory": "512Mi"}, max_length=16)
    """Amounts that the scheduler sets aside."""
    limits: ResourceAmounts | None = Field(None, max_length=16)
    """Amounts that a gateway may not exceed."""


class Gateways(ApiModel):
    """Pods without an engine and without a GPU that accept requests.

    They answer once workers have read the documents, and run image and configuration of the serving
    revision.
    """

    replicas: int = Field(2, ge=1, le=100)
    """Gateways that should run. They run however few workers do."""
    resources: GatewayResources = GatewayResources()
    """CPU and memory of each gateway."""


TOPOLOGY_RULES = (
    cel(
        "self.topology != 'Queue' || has(self.queue)",
        "topology Queue needs queue: name the database and the object store",
    ),
    cel(
        "oldSelf.topology != 'Queue' || self.topology == 'Queue' || has(self.queue)",
        "keep queue when you leave topology Queue, so that the pods finish what waits there; "
        "remove it later, once nobody asks for those tasks any more",
    ),
    cel(
        "self.topology == 'Queue' || !has(self.gateways)",
        "gateways belong to topology Queue; set the topology or remove gateways",
    ),
    cel(
        "self.topology != 'Queue' || !has(self.service.gateway)",
        "in topology Queue the gateways split the requests; remove service.gateway",
    ),
    cel(
        "self.topology != 'Queue' || self.rollout.strategy != 'BlueGreen'",
        "BlueGreen shows new pods by a Service of their own, and workers of topology Queue answer "
        "none; use Canary or Surge",
    ),
    cel(
        "self.topology != 'Queue' || !has(self.rollout.analysis.goldenDocuments)",
        "golden documents are sent to the pods of a revision, and workers of topology Queue answer "
        "none; remove rollout.analysis.goldenDocuments",
    ),
)
"""Rules of the spec about what belongs to a topology."""
