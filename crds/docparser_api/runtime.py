"""`spec.runtime` and `spec.model`: the configuration that the operator hands to a pod.

The operator writes both as JSON into the pod's environment and the runtime
reads them back with these same classes. A new parameter is a field here and a
use in the runtime; nothing in between names it.
"""

from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from docparser_api.base import ApiModel
from docparser_api.weights import Weights

Engine = Literal["rapidocr", "deepseek-ocr2", "unlimited-ocr", "fake"]


class ModelSpec(ApiModel):
    """What reads the pages: the engine and the name under which its answers are reported."""

    engine: Engine = "rapidocr"
    """Engine that reads the pages. `rapidocr` reads text on a CPU with PP-OCRv6 weights that are
    part of the image; `deepseek-ocr2` and `unlimited-ocr` write Markdown on a GPU with weights that
    `weights` names; `fake` answers with a fixed text and is meant for load tests."""
    name: str | None = Field(None, min_length=1, max_length=253, pattern=r"^[A-Za-z0-9._/-]+$")
    """Name reported as `model` in answers and metrics. Default: the engine's own name."""
    weights: Weights | None = None
    """Weights of the engine. Absent: those that are part of the image. `rapidocr` loads the files
    `PP-OCRv6_det_small.onnx` and `PP-OCRv6_rec_small.onnx`, `fake` a text in `fake.md`;
    `deepseek-ocr2` and `unlimited-ocr` the `config.json`, `tokenizer.json` and safetensors files of
    DeepSeek-OCR-2 and Unlimited-OCR, as their authors or transformers lay them out."""


class FakeConfig(ApiModel):
    """Behaviour of the engine `fake`; other engines ignore it."""

    page_milliseconds: int = Field(0, ge=0, le=600_000)
    """Time that reading one page takes, in milliseconds, at the tier `high`."""
    medium_time_percent: int = Field(60, ge=0, le=100)
    """Share of this time that a page takes at the tier `medium`, in percent."""
    low_time_percent: int = Field(25, ge=0, le=100)
    """Share of this time that a page takes at the tier `low`, in percent."""
    generates: bool = False
    """Whether it writes its text word by word over the page's time, as a model does that generates.
    It then tells of the text as it comes and honours `max_new_tokens`."""
    load_milliseconds: int = Field(0, ge=0, le=600_000)
    """Time that loading takes, in milliseconds."""
    text: str | None = Field(None, min_length=1, max_length=4096)
    """Text of every page. Default: the file `fake.md` of the weights or, without one, a title and a
    sentence about the page's size."""
    fail_percent: int = Field(0, ge=0, le=100)
    """Share of documents that end in an engine failure (500), in percent, evenly spread."""
    repeat_percent: int = Field(0, ge=0, le=100)
    """Share of pages that are flagged as `repetition`, in percent, evenly spread."""
    truncate_percent: int = Field(0, ge=0, le=100)
    """Share of pages that are flagged as `truncated`, in percent, evenly spread."""
    leak_bytes_per_page: int = Field(0, ge=0, le=1024**3)
    """Memory that each page takes and never gives back, in bytes."""
    crash_after_pages: int = Field(0, ge=0, le=1_000_000)
    """Pages after which the process ends abruptly; 0 means never."""


class OutboundConfig(ApiModel):
    """Where the service may send requests that clients ask for: nowhere, unless something is named.

    A named host is reached at public addresses only; what lies inside a cluster must be named as a
    network. Redirects are not followed.
    """

    allowed_hosts: list[str] = Field(default_factory=list, max_length=64)
    """Names that may be reached where their addresses are public: `example.com`, `*.example.com`
    for all names below it, or `*` for any."""
    allowed_networks: list[str] = Field(default_factory=list, max_length=64)
    """Networks that may be reached though they need not be public, such as `10.0.0.0/8`."""
    allowed_ports: list[int] = Field(default_factory=list, max_length=64)
    """Further ports than 80 for http and 443 for https."""

    @property
    def allows_any(self) -> bool:
        """Whether requests may go anywhere at all."""
        return bool(self.allowed_hosts or self.allowed_networks)


class SheddingConfig(ApiModel):
    """When pages of low priority are read at a lower tier than the engine would choose.

    Only those whose request leaves the tier to the engine; other engines than those with tiers
    know nothing of it.
    """

    medium_from_percent: int = Field(50, ge=0, le=100)
    """From this share of `tasks.maxQueuedPages` on, in percent, they are read at the tier `medium`
    at most; 0 means never."""
    low_from_percent: int = Field(80, ge=0, le=100)
    """From this share on, in percent, they are read at the tier `low`; 0 means never."""
    relief_percent: int = Field(10, ge=0, le=100)
    """By how much the share must fall below these again before the tier rises, in percent of
    `tasks.maxQueuedPages`."""


class TasksConfig(ApiModel):
    """Durable tasks: documents that are accepted now, read later, and fetched when they are done.

    They need a place that outlives the process: `DOCPARSER_DATA`, a directory, for one process, or
    `DOCPARSER_DATABASE_URL` and `DOCPARSER_STORE_URL` for several that share a queue.
    """

    max_pages: int = Field(10_000, ge=1, le=1_000_000)
    """Most pages of one task."""
    max_queued_pages: int = Field(50_000, ge=1, le=100_000_000)
    """Pages that may wait or be read in the whole queue. A task beyond is answered with 503 and
    Retry-After."""
    max_queued_pages_per_tenant: int | None = Field(None, ge=1, le=100_000_000)
    """The same for the tasks of one tenant, answered with 429. Absent: no limit of its own."""
    max_running_per_tenant: int | None = Field(None, ge=1, le=100_000)
    """Tasks of one tenant that are read at the same time. Absent: no limit of its own."""
    lease_seconds: int = Field(10, ge=2, le=3600)
    """Time without a sign of life, in seconds, after which another worker goes on with a task."""
    max_crashes: int = Field(3, ge=1, le=100)
    """Crashes of a worker over the same page after which a task is given up as `poison`."""
    retention_seconds: int = Field(86_400, ge=60, le=31_536_000)
    """Time for which results can be fetched after a task has ended, in seconds."""
    max_store_bytes: int | None = Field(None, ge=1_048_576)
    """Most bytes of uploads and results in a directory; a task beyond is answered with 507. Absent:
    until a twentieth of the disk is left. An S3 store has no such limit."""
    shedding: SheddingConfig = SheddingConfig()
    """When pages of low priority are read at a lower tier."""
    callbacks: OutboundConfig = OutboundConfig()
    """Where clients may ask to be told of the end of a task. Callbacks are signed with the secret
    in `DOCPARSER_CALLBACK_SECRET`."""


def _network(text: str) -> str:
    ip_network(text)
    return text


Cidr = Annotated[
    str,
    StringConstraints(max_length=49, pattern=r"^[0-9a-fA-F:.]+/[0-9]{1,3}$"),
    AfterValidator(_network),
]
"""A network such as `10.0.0.0/8` or `2001:db8::/32`, without bits of a host."""


class SecurityConfig(ApiModel):
    """Who may call the service, and how often. Tokens come from Secrets, never from here."""

    allowed_cidrs: tuple[Cidr, ...] = Field((), max_length=256)
    """Networks such as `10.0.0.0/8` from which clients may call; others are answered with 403.
    Probes and metrics are open to all. Empty: every address may call."""
    trusted_proxies: tuple[Cidr, ...] = Field((), max_length=256)
    """Networks of proxies whose X-Forwarded-For is believed. Empty: nobody's is."""
    requests_per_minute: int | None = Field(None, ge=1, le=1_000_000)
    """Requests per minute of each tenant whose token names no limit of its own; one more is
    answered with 429 and Retry-After. Absent: no limit."""


class RuntimeConfig(ApiModel):
    """Limits and behaviour of the OCR service in each pod."""

    max_concurrency: int = Field(2, ge=1, le=256)
    """Documents that a pod reads at the same time."""
    max_queue_length: int = Field(16, ge=0, le=10_000)
    """Documents that may wait in a pod. One more is answered with 429 and Retry-After."""
    queue_timeout_seconds: int = Field(30, ge=1, le=3600)
    """Longest wait for a place, in seconds; then the request is answered with 503."""
    request_timeout_seconds: int = Field(300, ge=1, le=86_400)
    """Longest time that reading one document may take, in seconds, counted without the wait."""
    lame_duck_seconds: int = Field(5, ge=0, le=300)
    """Time after SIGTERM, in seconds, in which a pod that is no longer ready still accepts
    requests, so that load balancers can take it out first."""
    max_body_bytes: int = Field(64 * 1024 * 1024, ge=1024, le=4 * 1024**3)
    """Largest request body, in bytes."""
    max_pages: int = Field(100, ge=1, le=100_000)
    """Most pages of one document."""
    max_page_pixels: int = Field(40_000_000, ge=10_000, le=400_000_000)
    """Most pixels of one page image. A larger image is refused; a PDF page is drawn smaller."""
    render_dpi: int = Field(144, ge=36, le=600)
    """Resolution at which PDF pages are drawn, in dots per inch."""
    page_timeout_seconds: int = Field(20, ge=1, le=600)
    """CPU time that opening and drawing one page may take, in seconds."""
    parser_memory_bytes: int = Field(1024**3, ge=256 * 1024**2, le=64 * 1024**3)
    """Memory that the process which opens a document may use, in bytes."""
    engine_threads: int = Field(0, ge=0, le=256)
    """CPU threads of the engine; 0 means one per CPU that the pod may use."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe log level that is written."""
    access_log_percent: int = Field(100, ge=0, le=100)
    """Share of successful requests that is logged, in percent. Failures are always logged."""
    url_sources: OutboundConfig = OutboundConfig()
    """Where documents may be fetched from that a request names by their address."""
    tasks: TasksConfig = TasksConfig()
    """Durable tasks."""
    security: SecurityConfig = SecurityConfig()
    """Who may call the service, and how often."""
    fake: FakeConfig = FakeConfig()
    """Behaviour of the engine `fake`."""


UPLOAD_TIMEOUT_SECONDS = 60
"""Longest time that the body of one request may take to come. The default largest body, 64 MiB,
makes it at 9 Mbit/s."""
DRAIN_MARGIN_SECONDS = 10
"""Time to write the last answers and to leave, on top of the longest request."""

TASKS_PATIENCE_SECONDS = 30
"""Longest time in which a worker that leaves saves the pages at hand and gives its tasks back."""


def longest_drain_seconds(config: RuntimeConfig) -> int:
    """Return the seconds from SIGTERM until the last accepted request has been answered."""
    return (
        config.lame_duck_seconds
        + UPLOAD_TIMEOUT_SECONDS
        + config.queue_timeout_seconds
        + config.request_timeout_seconds
    )


def grace_period_seconds(config: RuntimeConfig) -> int:
    """Return the termination grace period that lets every accepted request finish."""
    return longest_drain_seconds(config) + DRAIN_MARGIN_SECONDS


def worker_grace_period_seconds(config: RuntimeConfig) -> int:
    """Return the termination grace period of a worker, whose tasks go on elsewhere."""
    return config.lame_duck_seconds + TASKS_PATIENCE_SECONDS + DRAIN_MARGIN_SECONDS
