"""Configuration of the programs that make this machine a node: kubelet and kube-proxy."""

import json
from pathlib import Path
from typing import Any

from localcluster.commands import Argv
from localcluster.components import POD_CIDR
from localcluster.paths import State
from localcluster.pki import NODE

ADDRESS = "172.30.0.1"
DNS_ADDRESS = "10.96.0.10"
DNS_DOMAIN = "cluster.local"


def kubelet_config(state: State) -> dict[str, Any]:
    """The kubelet on cgroup v1 or v2, writing all that can be moved below the state folder."""
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(state.pki / "ca.crt")},
        },
        "authorization": {"mode": "Webhook"},
        "containerRuntimeEndpoint": f"unix://{state.containerd_socket}",
        "clusterDNS": [DNS_ADDRESS],
        "clusterDomain": DNS_DOMAIN,
        # Not the machine's: pods see no name server or search domain of the host.
        "resolvConf": str(state.config / "resolv.conf"),
        "podLogsDir": str(state.logs / "pods"),
        "volumePluginDir": str(state.root / "volume-plugins"),
        "failCgroupV1": False,
        "failSwapOn": False,
        "cgroupDriver": "cgroupfs",
        # No cgroup for each quality-of-service class: a container that hosts this node may not
        # make them.
        "cgroupsPerQOS": False,
        "enforceNodeAllocatable": [],
        # A full disk on a developer's machine must not evict pods or delete images.
        "imageGCHighThresholdPercent": 100,
        "evictionHard": {
            "imagefs.available": "0%",
            "nodefs.available": "0%",
            "nodefs.inodesFree": "0%",
        },
        "serializeImagePulls": False,
    }


def kube_proxy_config(kubeconfig: Path) -> dict[str, Any]:
    """Services by iptables, inside the namespace only."""
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "clientConnection": {"kubeconfig": str(kubeconfig)},
        "mode": "iptables",
        "clusterCIDR": POD_CIDR,
        "hostnameOverride": NODE,
        # Zero leaves the machine-wide connection-tracking limits alone.
        "conntrack": {
            "maxPerCore": 0,
            "min": 0,
            "tcpEstablishedTimeout": "0s",
            "tcpCloseWaitTimeout": "0s",
        },
    }


def configure(state: State) -> None:
    """Write the configuration files."""
    (state.config / "resolv.conf").write_text(f"nameserver {ADDRESS}\n")
    (state.config / "kubelet.json").write_text(json.dumps(kubelet_config(state), indent=1))
    proxy = kube_proxy_config(state.config / "kube-proxy.kubeconfig")
    (state.config / "kube-proxy.json").write_text(json.dumps(proxy, indent=1))


def kubelet(program: Path, state: State) -> Argv:
    """The kubelet's command line."""
    return [
        program,
        f"--config={state.config / 'kubelet.json'}",
        f"--kubeconfig={state.config / 'kubelet.kubeconfig'}",
        f"--root-dir={state.root / 'kubelet'}",
        f"--cert-dir={state.root / 'kubelet' / 'pki'}",
        f"--hostname-override={NODE}",
        f"--node-ip={ADDRESS}",
    ]


def kube_proxy(program: Path, state: State) -> Argv:
    """kube-proxy's command line."""
    return [program, f"--config={state.config / 'kube-proxy.json'}"]
