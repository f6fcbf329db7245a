"""Cluster DNS: CoreDNS beside the kubelet, behind an ordinary kube-dns Service.

It is a process of the node and not a pod, so it needs no image and is there before any pod.
"""

import json
import secrets
import socket
import struct
from pathlib import Path
from typing import Any

from localcluster.commands import Argv
from localcluster.node import ADDRESS, DNS_ADDRESS, DNS_DOMAIN

# Every answer is short-lived, so that tests see changed endpoints soon. There is no way out of
# the namespace, so any other name does not exist; saying so at once beats a timeout.
COREFILE = """\
{domain} in-addr.arpa ip6.arpa {{
    bind {address}
    errors
    kubernetes {domain} in-addr.arpa ip6.arpa {{
        kubeconfig {kubeconfig}
        pods insecure
        ttl 2
    }}
}}
. {{
    bind {address}
    errors
    template ANY ANY {{
        rcode NXDOMAIN
    }}
}}
"""


def corefile(kubeconfig: Path) -> str:
    """CoreDNS's configuration."""
    return COREFILE.format(domain=DNS_DOMAIN, address=ADDRESS, kubeconfig=kubeconfig)


def coredns(program: Path, config: Path) -> Argv:
    """CoreDNS's command line."""
    return [program, "-conf", config]


def manifests() -> str:
    """The Service at the fixed address, its endpoint on the node, and what CoreDNS may read."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [*_access(), *_service()]})


def _access() -> list[dict[str, Any]]:
    role = {"name": "system:coredns"}
    group = "rbac.authorization.k8s.io"
    read = ["list", "watch"]
    return [
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRole",
            "metadata": role,
            "rules": [
                {"apiGroups": [""], "resources": ["services", "pods", "namespaces"], "verbs": read},
                {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": read},
            ],
        },
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": role,
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", **role},
            "subjects": [{"apiGroup": group, "kind": "User", **role}],
        },
    ]


def _service() -> list[dict[str, Any]]:
    labels = {"k8s-app": "kube-dns", "kubernetes.io/name": "CoreDNS"}
    transports = [("dns", "UDP"), ("dns-tcp", "TCP")]
    ports = [{"name": name, "protocol": kind, "port": 53} for name, kind in transports]
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "kube-dns", "namespace": "kube-system", "labels": labels},
            "spec": {"clusterIP": DNS_ADDRESS, "ports": ports},
        },
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "name": "kube-dns-node",
                "namespace": "kube-system",
                "labels": {"kubernetes.io/service-name": "kube-dns"},
            },
            "addressType": "IPv4",
            "endpoints": [{"addresses": [ADDRESS], "conditions": {"ready": True}}],
            "ports": ports,
        },
    ]


HEADER_BYTES = 12


def query(name: str, identifier: int) -> bytes:
    """A DNS question for a name's IPv4 address."""
    header = struct.pack(">HHHHHH", identifier, 0x0100, 1, 0, 0, 0)
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return header + labels + b"\0" + struct.pack(">HH", 1, 1)


def answered(reply: bytes, identifier: int) -> bool:
    """Whether a reply belongs to the question and holds at least one record."""
    if len(reply) < HEADER_BYTES:
        return False
    replied, flags, _, records = struct.unpack(">HHHH", reply[:8])
    return bool(replied == identifier and flags & 0xF == 0 and records)


def resolves(name: str, server: str = DNS_ADDRESS, timeout_seconds: float = 1) -> bool:
    """Ask from the calling thread's network namespace, through the Service's address."""
    identifier = secrets.randbelow(1 << 16)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(timeout_seconds)
        try:
            asking.sendto(query(name, identifier), (server, 53))
            return answered(asking.recv(512), identifier)
        except OSError:
            return False
