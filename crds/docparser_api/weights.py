"""`spec.model.weights`: which weights a pod loads, where they come from, where they are kept."""

from typing import Literal

from pydantic import ConfigDict, Field

from docparser_api.base import ApiModel, cel, validations
from docparser_api.quantity import Quantity
from docparser_api.workload import ConfigMapKey, LocalReference, ObjectName, PullPolicy

AccessMode = Literal["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod"]
_RELATIVE = r"^([A-Za-z0-9._-]+/)*[A-Za-z0-9._-]*$"
# Credentials belong into a Secret, not in front of an @.
_ADDRESS = r"^https?://[^\s/?#@]+(/[^\s?#]*)?$"
_NO_PARENT = cel("!self.matches('(^|/)[.]{1,2}(/|$)')", "write the path without . and .. parts")


class S3Source(ApiModel):
    """A prefix in a bucket of an S3-compatible store."""

    bucket: str = Field(min_length=3, max_length=255, pattern=r"^[A-Za-z0-9][A-Za-z0-9.:_-]*$")
    """Name of the bucket."""
    prefix: str = Field("", max_length=1024)
    """Beginning of the objects' names, such as `ocr/v6`. Absent: the files lie at the top."""
    endpoint: str | None = Field(None, max_length=2048, pattern=_ADDRESS)
    """Address of the store. Default: that of Amazon S3 for the region."""
    region: str = Field("us-east-1", max_length=64, pattern=r"^[A-Za-z0-9-]+$")
    """Region of the bucket."""


class HttpSource(ApiModel):
    """A directory of a web server."""

    url: str = Field(max_length=2048, pattern=_ADDRESS)
    """Address of the directory: the file `a.onnx` is fetched from this address and `/a.onnx`."""


class HuggingFaceSource(ApiModel):
    """A model repository of the Hugging Face hub, or of a server with its layout."""

    repository: str = Field(max_length=256, pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")
    """Repository, such as `deepseek-ai/DeepSeek-OCR-2`."""
    revision: str = Field(max_length=128, pattern=r"^[A-Za-z0-9._/-]+$")
    """Commit or tag. The manifest pins the content, so a branch works until it moves."""
    endpoint: str = Field("https://huggingface.co", max_length=2048, pattern=_ADDRESS)
    """Address of the hub."""


class ClaimSource(ApiModel):
    """A directory of a PersistentVolumeClaim of the same namespace. It is mounted read-only."""

    claim_name: ObjectName
    """Name of the claim."""
    path: str = Field(
        "", max_length=1024, pattern=_RELATIVE, json_schema_extra=validations(_NO_PARENT)
    )
    """Directory within the volume. Absent: its top."""


class ImageSource(ApiModel):
    """A directory of an OCI image or artifact that the kubelet mounts as a volume.

    This needs Kubernetes 1.33 and a container runtime with image volumes.
    """

    reference: str = Field(
        min_length=1,
        max_length=512,
        json_schema_extra=validations(
            cel(
                "self.contains('@sha256:') || self.matches(':[A-Za-z0-9_][A-Za-z0-9_.-]*$')",
                "name a tag or a digest, for example example.org/weights:2026-11",
            )
        ),
    )
    """Image with tag or digest."""
    pull_policy: PullPolicy = "IfNotPresent"
    """When the node pulls it."""
    path: str = Field(
        "", max_length=1024, pattern=_RELATIVE, json_schema_extra=validations(_NO_PARENT)
    )
    """Directory within the image. Absent: its top."""


class WeightsSource(ApiModel):
    """Where the files of the weights lie: exactly one place."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "[has(self.s3), has(self.http), has(self.huggingFace), "
                "has(self.persistentVolumeClaim), has(self.image)].filter(x, x).size() == 1",
                "set exactly one of s3, http, huggingFace, persistentVolumeClaim and image",
            ),
            cel(
                "!has(self.secretRef) || has(self.s3) || has(self.http) || has(self.huggingFace)",
                "secretRef goes with s3, http or huggingFace; remove it",
            ),
        )
    )

    s3: S3Source | None = None
    """An S3-compatible object store."""
    http: HttpSource | None = None
    """A web server."""
    hugging_face: HuggingFaceSource | None = None
    """The Hugging Face hub."""
    persistent_volume_claim: ClaimSource | None = None
    """A volume that holds the files already."""
    image: ImageSource | None = None
    """An OCI image that holds the files."""
    secret_ref: LocalReference | None = None
    """Secret with credentials. Keys for s3: `accessKeyId`, `secretAccessKey` and, if there is one,
    `sessionToken`; for http and huggingFace: `token`, sent as a bearer token. Absent: the source
    is read without credentials."""


class WeightsManifest(ApiModel):
    """The list of files with their sizes and digests.

    `docparser-runtime weights manifest` makes it.
    """

    sha256: str = Field(max_length=64, pattern=r"^[0-9a-f]{64}$")
    """SHA-256 of the manifest itself, in hexadecimal digits. It pins every byte of the weights."""
    config_map_key_ref: ConfigMapKey | None = None
    """Key of a ConfigMap that holds the manifest. Default: it lies beside the files as
    `docparser-manifest.json`."""


class ClaimCache(ApiModel):
    """A PersistentVolumeClaim that pods share."""

    claim_name: ObjectName
    """Name of the claim."""
    access_mode: AccessMode = "ReadWriteMany"
    """How pods mount the claim; it must be among the access modes of the claim itself. With
    `ReadOnlyMany` the volume must hold the weights already. `ReadWriteOnce` and `ReadWriteOncePod`
    go with at most one replica and rollout.strategy InPlace or Recreate."""


class HostCache(ApiModel):
    """A directory of each node. The namespace must permit host paths."""

    path: str = Field(min_length=2, max_length=1024, pattern=r"^/[A-Za-z0-9._/-]+$")
    """Directory on the node; it must exist and belong to user 65532."""


class WeightsCache(ApiModel):
    """Where fetched weights are kept. Without claim and host path each pod fetches its own."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!(has(self.persistentVolumeClaim) && has(self.hostPath))",
                "set persistentVolumeClaim or hostPath, not both",
            )
        )
    )

    persistent_volume_claim: ClaimCache | None = None
    """A shared volume: fetched once for all pods."""
    host_path: HostCache | None = None
    """A directory of the node: fetched once for all pods of a node."""
    size_limit: Quantity | None = None
    """Largest size of the pod's own directory, where neither a claim nor a host path is set."""


class Weights(ApiModel):
    """Weights that are fetched and verified before a pod starts, and mounted read-only."""

    model_config = ConfigDict(
        json_schema_extra=validations(
            cel(
                "!(has(self.source.persistentVolumeClaim) || has(self.source.image)) || "
                "!(has(self.cache.persistentVolumeClaim) || has(self.cache.hostPath))",
                "weights of a volume or an image are used where they lie; remove cache",
            )
        )
    )

    version: str = Field(max_length=63, pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")
    """Version for people. It names the directory, together with the digest of the manifest."""
    source: WeightsSource
    """Where the files lie: exactly one of s3, http, huggingFace, persistentVolumeClaim, image."""
    manifest: WeightsManifest
    """What the files must be."""
    cache: WeightsCache = WeightsCache()
    """Where fetched files are kept. Absent: each pod fetches its own."""
    connections: int = Field(8, ge=1, le=64)
    """Parts of files that a pod fetches at the same time."""

    @property
    def directory(self) -> str:
        """Name of the directory within a cache."""
        return f"{self.version}-{self.manifest.sha256[:16]}"

    @property
    def is_fetched(self) -> bool:
        """Whether the files are copied into a cache, not used where they lie."""
        return self.source.persistent_volume_claim is None and self.source.image is None
