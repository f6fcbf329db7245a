"""What the end-to-end tests do again and again."""

import json
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path

from support.eventually import eventually
from support.kubectl import Kubectl, Manifest

TRAFFIC = Path(__file__).parents[1] / "e2e" / "traffic.py"
PYTHON = "/app/.venv/bin/python"
IMAGE = "docparser.dev/runtime:dev"

_POST = """
import sys, urllib.request, urllib.error
url, token, content_type = sys.argv[1:]
headers = {"Content-Type": content_type}
if token:
    headers["Authorization"] = "Bearer " + token
request = urllib.request.Request(url, data=sys.stdin.buffer.read(), headers=headers)
try:
    sys.stdout.write(urllib.request.urlopen(request, timeout=120).read().decode())
except urllib.error.HTTPError as error:
    sys.stdout.write(error.read().decode())
"""
_GET = """
import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=30).read().decode())
"""


@dataclass(frozen=True)
class Deployment:
    """One DocParserDeployment in the cluster."""

    kubectl: Kubectl
    name: str

    def apply(self, spec: Manifest) -> None:
        """Apply the object with `spec`."""
        metadata = {"name": self.name}
        what = {"apiVersion": "docparser.dev/v1alpha1", "kind": "DocParserDeployment"}
        self.kubectl.apply({**what, "metadata": metadata, "spec": spec})

    def patch(self, spec: Manifest) -> None:
        """Merge `spec` into the spec."""
        self.kubectl.run(
            "patch", "dpd", self.name, "--type=merge", "-p", json.dumps({"spec": spec})
        )

    def annotate(self, name: str, value: str | None) -> None:
        """Set the annotation `docparser.dev/<name>`; None removes it."""
        word = f"docparser.dev/{name}" + ("-" if value is None else f"={value}")
        self.kubectl.run("annotate", "dpd", self.name, word, "--overwrite")

    def status(self) -> Manifest:
        """Return the status, empty before the first one."""
        found = self.kubectl.get("dpd", self.name)
        assert found is not None, f"{self.name} does not exist"
        status: Manifest = found.get("status", {})
        return status | {"generation": found["metadata"]["generation"]}

    def condition(self, kind: str) -> Manifest:
        """Return a condition of the current generation, empty where there is none yet."""
        status = self.status()
        for condition in status.get("conditions", []):
            if (
                condition["type"] == kind
                and condition["observedGeneration"] == status["generation"]
            ):
                found: Manifest = condition
                return found
        return {}

    def wait_condition(
        self, kind: str, status: str, reason: str = "", seconds: float = 60
    ) -> Manifest:
        """Return the condition once it has this status and reason."""

        def holds(found: Manifest) -> bool:
            return found.get("status") == status and (not reason or found["reason"] == reason)

        return eventually(lambda: self.condition(kind), holds, seconds, f"{kind}={status} {reason}")

    def wait_ready(self, seconds: float = 120) -> None:
        """Wait until everything that spec asks for runs and nothing is under way."""
        self.wait_condition("UpToDate", "True", seconds=seconds)
        self.wait_condition("Ready", "True", seconds=seconds)

    def pods(self) -> list[Manifest]:
        """Return its pods, those that shut down included."""
        return self.kubectl.list("pods", f"docparser.dev/deployment={self.name}")

    def url(self, path: str) -> str:
        """Return the address of the Service inside the cluster."""
        return f"http://{self.name}.{self.kubectl.namespace}.svc:80{path}"


@dataclass(frozen=True)
class Client:
    """A pod from which Services are called by name."""

    kubectl: Kubectl

    @classmethod
    def start(cls, kubectl: Kubectl) -> "Client":
        """Start the pod and wait for it."""
        kubectl.apply(_client_pod())
        kubectl.run("wait", "pod/client", "--for=condition=Ready", "--timeout=60s")
        return cls(kubectl)

    def post(
        self, url: str, document: bytes, token: str = "", content_type: str = "application/pdf"
    ) -> Manifest:
        """Return the answer to a document."""
        words = (PYTHON, "-c", _POST, url, token, content_type)
        argv = self.kubectl.argv("exec", "-i", "client", "--", *words)
        done = subprocess.run(argv, input=document, capture_output=True, timeout=180, check=False)
        assert done.returncode == 0, done.stderr.decode()
        answer: Manifest = json.loads(done.stdout)
        return answer

    def get(self, url: str) -> str:
        """Return the text behind `url`."""
        return self.kubectl.run("exec", "client", "--", PYTHON, "-c", _GET, url)

    def traffic(
        self, url: str, seconds: float, period: float = 0.05, workers: int = 2
    ) -> "Traffic":
        """Start streams of requests to `url` that end after `seconds`, or when told to."""
        stop = f"/tmp/stop-{uuid.uuid4().hex[:8]}"  # noqa: S108 (a file in the pod)
        script_args = (url, str(seconds), str(period), stop, str(workers))
        words = ("exec", "-i", "client", "--", PYTHON, "-", *script_args)
        with TRAFFIC.open("rb") as script:
            process = subprocess.Popen(
                self.kubectl.argv(*words),
                stdin=script,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        return Traffic(process, seconds, self.kubectl.argv("exec", "client", "--", "touch", stop))


@dataclass(frozen=True)
class Traffic:
    """A running stream of requests."""

    process: "subprocess.Popen[bytes]"
    seconds: float
    stop: list[str]

    def running(self) -> bool:
        """Return whether requests are still being sent."""
        return self.process.poll() is None

    def result(self) -> Manifest:
        """Wait for the end and return the counts."""
        output, errors = self.process.communicate(timeout=self.seconds + 60)
        assert self.process.returncode == 0, errors.decode()
        counts: Manifest = json.loads(output)
        return counts

    def close(self) -> None:
        """Leave nothing of it behind, be it over or not."""
        self.process.kill()
        self.process.communicate()

    def ended(self) -> Manifest:
        """End it now, unless it has ended too early, and return the counts."""
        assert self.running(), "the traffic ended before what it was to accompany"
        subprocess.run(self.stop, check=True)
        return self.result()


def _client_pod() -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "client"},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 0,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 65532,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "client",
                    "image": IMAGE,
                    "command": [PYTHON, "-c", "import time; time.sleep(3600)"],
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "capabilities": {"drop": ["ALL"]},
                    },
                }
            ],
        },
    }
