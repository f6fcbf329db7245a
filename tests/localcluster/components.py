"""The command lines of the control plane, shared by the node and by `ControlPlane`."""

from dataclasses import dataclass
from pathlib import Path

from localcluster.commands import Argv
from localcluster.pki import Pki

SERVICE_CIDR = "10.96.0.0/16"
FIRST_SERVICE_ADDRESS = "10.96.0.1"
POD_CIDR = "10.244.0.0/16"

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
"""


@dataclass(frozen=True)
class Ports:
    """Where the control plane listens."""

    etcd: int
    etcd_peer: int
    apiserver: int


def etcd(program: Path, data: Path, ports: Ports) -> Argv:
    """A single member on loopback."""
    client = f"http://127.0.0.1:{ports.etcd}"
    peer = f"http://127.0.0.1:{ports.etcd_peer}"
    return [
        program,
        f"--data-dir={data}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        # The data lives no longer than the cluster: no need to survive a power cut.
        "--unsafe-no-fsync",
        "--log-level=warn",
        # The caller of `ControlPlane` keeps the port reserved while it starts.
        "--socket-reuse-port=true",
    ]


def apiserver(program: Path, pki: Pki, ports: Ports, audit_policy: Path, audit_log: Path) -> Argv:
    """Node and RBAC authorisation, the default admission, every request in the audit log."""
    return [
        program,
        f"--etcd-servers=http://127.0.0.1:{ports.etcd}",
        f"--secure-port={ports.apiserver}",
        "--permit-port-sharing=true",
        f"--service-cluster-ip-range={SERVICE_CIDR}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        f"--client-ca-file={pki.authority}",
        f"--tls-cert-file={pki.certificate('server')}",
        f"--tls-private-key-file={pki.key('server')}",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={pki.service_account_public}",
        f"--service-account-signing-key-file={pki.key('service-account')}",
        f"--audit-policy-file={audit_policy}",
        f"--audit-log-path={audit_log}",
        "--audit-log-maxsize=500",
    ]


def controller_manager(program: Path, pki: Pki, kubeconfig: Path) -> Argv:
    """Every default controller, each under its own service account."""
    return [
        program,
        f"--kubeconfig={kubeconfig}",
        "--leader-elect=false",
        # The default of 20 requests a second makes the first start take seconds.
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        "--use-service-account-credentials=true",
        f"--root-ca-file={pki.authority}",
        f"--service-account-private-key-file={pki.key('service-account')}",
        f"--cluster-signing-cert-file={pki.authority}",
        f"--cluster-signing-key-file={pki.key('ca')}",
        f"--service-cluster-ip-range={SERVICE_CIDR}",
    ]
