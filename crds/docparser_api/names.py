"""Every name that crosses a process border, spelled once."""

from typing import Final

GROUP: Final = "docparser.dev"
VERSION: Final = "v1alpha1"
API_VERSION: Final = f"{GROUP}/{VERSION}"
KIND: Final = "DocParserDeployment"
PLURAL: Final = "docparserdeployments"
SINGULAR: Final = "docparserdeployment"
SHORT_NAME: Final = "dpd"
CATEGORY: Final = "ocr"

MANAGER: Final = "docparser-operator"
"""Field manager of every write, and the value of `app.kubernetes.io/managed-by`."""

LABEL_MANAGED_BY: Final = "app.kubernetes.io/managed-by"
LABEL_APP: Final = "app.kubernetes.io/name"
LABEL_INSTANCE: Final = "app.kubernetes.io/instance"
LABEL_COMPONENT: Final = "app.kubernetes.io/component"
LABEL_DEPLOYMENT: Final = f"{GROUP}/deployment"
"""Name of the DocParserDeployment that an object belongs to."""
LABEL_REVISION: Final = f"{GROUP}/revision"
"""Hash of the revision that a pod or Deployment runs."""
APP: Final = "docparser"

ANNOTATION_OBSERVATIONS: Final = f"{GROUP}/observations"
"""On a ControllerRevision: every time its content was the wanted one, as JSON."""
ANNOTATION_OUTCOME: Final = f"{GROUP}/outcome"
"""On a ControllerRevision: how its latest rollout ended, as JSON."""
ANNOTATION_RETRY: Final = f"{GROUP}/retry"
"""On a DocParserDeployment: a new value lets a failed revision be tried again."""

ANNOTATION_PROMOTE: Final = f"{GROUP}/promote"
"""On a DocParserDeployment: `REVISION/STEP` ends the wait at that step of that revision's rollout,
`REVISION/all` skips all steps that are left. REVISION is a number or a hash."""
ANNOTATION_PAUSE: Final = f"{GROUP}/pause"
"""On a DocParserDeployment: `true` stops the rollout before its next step, until it is removed."""
ANNOTATION_ABORT: Final = f"{GROUP}/abort"
"""On a DocParserDeployment: REVISION, a number or a hash, whose rollout is given up."""
ANNOTATION_ROLLBACK_TO: Final = f"{GROUP}/rollback-to"
"""On a DocParserDeployment: a number, a hash or `resourceVersion:N` of the revision that is to run
instead of the one in spec. What follows a `#` is a remark."""
LABEL_HELPER_OF: Final = f"{GROUP}/helper-of"
"""On the pod of a Job: name of the DocParserDeployment. Such a pod serves nobody, so it must not
bear the label by which Services and disruption budgets select."""
LABEL_PURPOSE: Final = f"{GROUP}/purpose"
"""On a Job and its pod: what the operator runs it for."""
SUFFIX_CANARY: Final = "-canary"
"""Ending of the name of the Service for the new revision during a rollout."""
SUFFIX_STABLE: Final = "-stable"
"""Ending of the name of the Service for the serving revision alone during a rollout."""

CONTAINER: Final = "runtime"
PORT: Final = 8080
PORT_NAME: Final = "http"

WEIGHTS_CACHE: Final = "/weights"
"""Where the cache of the weights is mounted: read-write for the fetch, read-only for the engine."""
WEIGHTS_SOURCE: Final = "/weights-source"
"""Where a volume or an image with weights is mounted, read-only."""
WEIGHTS_CHECK: Final = "/weights-check"
"""Where the fetch notes that weights of WEIGHTS_SOURCE were verified."""
WEIGHTS_MANIFEST: Final = "/weights-manifest/manifest.json"
"""Where the manifest lies that a ConfigMap holds."""
WEIGHTS_MANIFEST_FILE: Final = "docparser-manifest.json"
"""Name of the manifest beside the files of the weights."""
WEIGHTS_CONTAINER: Final = "weights"
"""Name of the init container that fetches and verifies the weights."""

PATH_STARTUP: Final = "/startupz"
PATH_READY: Final = "/readyz"
PATH_LIVE: Final = "/livez"
PATH_METRICS: Final = "/metrics"
PATH_PARSE: Final = "/v1/document/parse"
PATH_TASKS: Final = "/v1/document/tasks"
PATH_CHAT: Final = "/v1/chat/completions"
PATH_MODELS: Final = "/v1/models"
PATH_CONFIG: Final = "/config"

ENV_PREFIX: Final = "DOCPARSER_"
ENV_MODEL: Final = "DOCPARSER_MODEL"
"""Environment variable that holds `spec.model` as JSON."""
ENV_RUNTIME: Final = "DOCPARSER_RUNTIME"
"""Environment variable that holds `spec.runtime` as JSON."""
ENV_TOKEN: Final = "DOCPARSER_TOKEN"  # noqa: S105 (a variable's name, not a token)
"""Environment variable that holds the bearer token which clients must send."""
ENV_DATA: Final = "DOCPARSER_DATA"
"""Environment variable that names the directory of the embedded queue and store; `none` for no
tasks at all, unless a database is named."""
ENV_DATABASE_URL: Final = "DOCPARSER_DATABASE_URL"
"""Environment variable that holds the address of the PostgreSQL database of the queue."""
ENV_STORE_URL: Final = "DOCPARSER_STORE_URL"
"""Environment variable that names where uploads and results lie: `s3://BUCKET/PREFIX` or a
directory as `file:///PATH`."""
ENV_STORE_PREFIX: Final = "DOCPARSER_STORE_"
"""Prefix of the variables of an S3 store: ENDPOINT, REGION, ACCESS_KEY_ID, SECRET_ACCESS_KEY,
SESSION_TOKEN."""
ENV_CALLBACK_SECRET: Final = "DOCPARSER_CALLBACK_SECRET"  # noqa: S105 (a variable's name)
"""Environment variable that holds the secret with which callbacks are signed; several, one a line,
while it is being changed."""
ENV_TRACK: Final = "DOCPARSER_TRACK"
"""Environment variable that names the track, such as `stable`, of which a worker takes jobs."""
ENV_TOKENS_FILE: Final = "DOCPARSER_TOKENS_FILE"
"""Environment variable that names a file with the bearer tokens of tenants, in JSON or YAML."""
ENV_TLS_CERT_FILE: Final = "DOCPARSER_TLS_CERT_FILE"
"""Environment variable that names the file of the certificate chain, PEM; HTTPS is served then."""
ENV_TLS_KEY_FILE: Final = "DOCPARSER_TLS_KEY_FILE"
"""Environment variable that names the file of the certificate's private key, PEM."""
ENV_TLS_CLIENT_CA_FILE: Final = "DOCPARSER_TLS_CLIENT_CA_FILE"
"""Environment variable that names the file of the authorities, PEM, one of which must have signed
the certificate that a client then has to show."""
ENV_WEIGHTS_PREFIX: Final = "DOCPARSER_WEIGHTS_"
"""Prefix of the variables that hold credentials for the source of the weights: ACCESS_KEY_ID,
SECRET_ACCESS_KEY, SESSION_TOKEN, TOKEN."""
