"""What topology Queue needs, in pods: a PostgreSQL and an S3 bucket in memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.e2e import IMAGE, PYTHON
from support.kubectl import Kubectl, Manifest

DATABASE_IMAGE: Final = "docparser.dev/postgres:dev"
DATABASE_PORT, BUCKET_PORT = 5432, 9000
PASSWORD: Final = "canary-database-password"
KEY_ID, SECRET_KEY = "key-id", "canary-secret-key"
USER: Final = 65532
TESTS = Path(__file__).parents[1]
CODE = (
    "support/s3_server.py",
    "support/s3_signature.py",
    "support/threaded_server.py",
    "e2e/bucket_server.py",
)
_DATABASE = """
umask 077; echo "$PASSWORD" > /data/password
initdb -D /data/db -U docparser -A scram-sha-256 --pwfile=/data/password -N > /dev/null
echo "host all all all scram-sha-256" >> /data/db/pg_hba.conf
exec postgres -D /data/db -c listen_addresses='*' -c unix_socket_directories=/data
"""


@dataclass(frozen=True)
class QueueParts:
    """A database and a bucket of one namespace."""

    kubectl: Kubectl

    @property
    def spec(self) -> Manifest:
        """Return `spec.queue`."""
        return {
            "databaseUrlSecretRef": {"name": "database", "key": "url"},
            "objectStore": {
                "url": "s3://store/reader",
                "endpoint": f"http://bucket.{self.kubectl.namespace}.svc:{BUCKET_PORT}",
                "credentialsSecretRef": {"name": "bucket"},
            },
        }

    def query(self, sql: str) -> str:
        """Return what a query finds, a row a line."""
        words = ("psql", "-h", "/data", "-U", "docparser", "-d", "postgres", "-Atc", sql)
        env = ("env", f"PGPASSWORD={PASSWORD}")
        return self.kubectl.run("exec", "database", "--", *env, *words).strip()


def queue_parts(kubectl: Kubectl) -> QueueParts:
    """Start both, and return them once they answer."""
    host = f"database.{kubectl.namespace}.svc:{DATABASE_PORT}"
    url = f"postgresql://docparser:{PASSWORD}@{host}/postgres"
    kubectl.apply(_secret("database", url=url))
    kubectl.apply(_secret("bucket", accessKeyId=KEY_ID, secretAccessKey=SECRET_KEY))
    code = [f"--from-file={name.replace('/', '-')}={TESTS / name}" for name in CODE]
    kubectl.run("create", "configmap", "bucket-code", *code)
    for name, port in (("database", DATABASE_PORT), ("bucket", BUCKET_PORT)):
        kubectl.apply(_service(name, port))
    kubectl.apply(_pod("database", _database(), {"name": "data", "emptyDir": {}}))
    items = [{"key": name.replace("/", "-"), "path": name} for name in CODE]
    volume = {"name": "code", "configMap": {"name": "bucket-code", "items": items}}
    kubectl.apply(_pod("bucket", _bucket(), volume))
    kubectl.run("wait", "pod/database", "pod/bucket", "--for=condition=Ready", "--timeout=90s")
    return QueueParts(kubectl)


def _database() -> Manifest:
    ready = ["pg_isready", "-q", "-h", "127.0.0.1"]
    return {
        "image": DATABASE_IMAGE,
        "command": ["sh", "-ec", _DATABASE],
        "env": [{"name": "PASSWORD", "value": PASSWORD}],
        "readinessProbe": {"exec": {"command": ready}, "periodSeconds": 1, "timeoutSeconds": 3},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }


def _bucket() -> Manifest:
    return {
        "image": IMAGE,
        "command": [PYTHON, "-m", "e2e.bucket_server", str(BUCKET_PORT), KEY_ID, SECRET_KEY],
        "workingDir": "/code",
        "env": [{"name": "PYTHONPATH", "value": "/code"}],
        "readinessProbe": {"tcpSocket": {"port": BUCKET_PORT}, "periodSeconds": 1},
        "volumeMounts": [{"name": "code", "mountPath": "/code"}],
    }


def _pod(name: str, container: Manifest, volume: Manifest) -> Manifest:
    security = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [{"name": name, "securityContext": security, **container}],
            "volumes": [volume],
        },
    }


def _service(name: str, port: int) -> Manifest:
    spec = {"selector": {"app": name}, "ports": [{"port": port}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def _secret(name: str, **values: str) -> Manifest:
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": values}
