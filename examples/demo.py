"""`make demo`: the main job on real input, from nothing to Markdown.

Starts a local Kubernetes, builds both images, installs the operator, applies
`examples/01-minimal.yaml`, posts a three-page PDF to the pod's Service and
prints the Markdown that comes back. Safe to run again, also after Ctrl-C.
"""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests"))

from localcluster import cli  # noqa: E402 (tests/ is not installed)
from support.installation import install  # noqa: E402
from support.kubectl import Kubectl, KubectlError, local_kubectl  # noqa: E402
from support.sample_document import (  # noqa: E402
    SAMPLE_PAGES,
    character_error_rate,
    sample_pdf,
)

NAMESPACE = "docparser-demo"
NAME = "reader"
LOCAL_PORT = 18080
LIMIT = 0.01


def main() -> int:
    """Run the demo; return the exit code."""
    for step in (["up"], ["images"]):
        if code := cli.main(step):
            return code
    kubectl = local_kubectl().within(NAMESPACE)
    say("installing the operator: kubectl apply -k charts/kustomize/local")
    install(kubectl)
    deploy(kubectl)
    answer = parse(kubectl, sample_pdf())
    return report(answer)


def deploy(kubectl: Kubectl) -> None:
    """Apply the example in a namespace that enforces restricted pods, and wait for Ready."""
    kubectl.apply(
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {
                "name": NAMESPACE,
                "labels": {"pod-security.kubernetes.io/enforce": "restricted"},
            },
        }
    )
    say("applying examples/01-minimal.yaml and waiting until it is Ready")
    # A pod of an earlier run would go on with the image that it was started from.
    kubectl.run("delete", "dpd", NAME, "--ignore-not-found")
    kubectl.run("apply", "-f", str(REPOSITORY / "examples/01-minimal.yaml"))
    kubectl.run(
        "wait", f"dpd/{NAME}", "--for=condition=UpToDate", "--timeout=180s", timeout_seconds=200
    )
    say(kubectl.run("get", "dpd,pods,services"))


def parse(kubectl: Kubectl, pdf: bytes) -> dict[str, object]:
    """Return the answer of the pod to `pdf`."""
    say(f"posting a three-page PDF ({len(pdf)} bytes) to service/{NAME}")
    with port_forward(kubectl):
        request = urllib.request.Request(
            f"http://127.0.0.1:{LOCAL_PORT}/v1/document/parse",
            data=pdf,
            headers={"Content-Type": "application/pdf"},
        )
        with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310
            answer: dict[str, object] = json.load(response)
    return answer


@contextmanager
def port_forward(kubectl: Kubectl) -> Iterator[None]:
    """Make the Service reachable on a loopback port for the duration of the context."""
    argv = kubectl.argv("port-forward", f"service/{NAME}", f"{LOCAL_PORT}:80")
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for_port(process)
            yield
        finally:
            process.terminate()


def wait_for_port(process: "subprocess.Popen[bytes]", seconds: float = 30) -> None:
    """Return once the forwarded service says that it is ready."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{LOCAL_PORT}/readyz", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise SystemExit(f"kubectl port-forward did not become usable within {seconds:.0f} s")


def report(answer: dict[str, object]) -> int:
    """Print the Markdown and how well it matches the known text; return the exit code."""
    content = str(answer["content"])
    expected = "\n\n".join(SAMPLE_PAGES)
    rate = character_error_rate(expected, content)
    print(f"\n{'-' * 78}\n{content}\n{'-' * 78}")
    say(f"character error rate {rate:.2%} (limit {LIMIT:.0%}), reading order checked by it")
    kubeconfig = local_kubectl().kubeconfig
    say(f"the cluster stays up: export KUBECONFIG={kubeconfig}; kubectl get dpd -A")
    say("stop it with: make cluster-down")
    return 0 if rate <= LIMIT else 1


def say(text: str) -> None:
    """Print one step of the demo."""
    print(f"[demo] {text}", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        sys.exit(130)
    except KubectlError as error:
        say(str(error))
        sys.exit(1)
