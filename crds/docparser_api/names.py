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

CONTAINER: Final = "runtime"
PORT: Final = 8080
PORT_NAME: Final = "http"

PATH_STARTUP: Final = "/startupz"
PATH_READY: Final = "/readyz"
PATH_LIVE: Final = "/livez"
PATH_METRICS: Final = "/metrics"
PATH_PARSE: Final = "/v1/document/parse"
PATH_CONFIG: Final = "/config"

ENV_PREFIX: Final = "DOCPARSER_"
ENV_MODEL: Final = "DOCPARSER_MODEL"
"""Environment variable that holds `spec.model` as JSON."""
ENV_RUNTIME: Final = "DOCPARSER_RUNTIME"
"""Environment variable that holds `spec.runtime` as JSON."""
ENV_TOKEN: Final = "DOCPARSER_TOKEN"  # noqa: S105 (a variable's name, not a token)
"""Environment variable that holds the bearer token which clients must send."""
