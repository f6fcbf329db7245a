import base64
import ipaddress
import json
import tomllib
from pathlib import Path

import pytest
import yaml
from localcluster import components, containerd, dns, fakegpu, kind, kubeconfig, node, pki
from localcluster.console import Failure
from localcluster.paths import State
from localcluster.pki import Pki

STATE = State(Path("/s/cluster"))
PORTS = components.Ports(etcd=1, etcd_peer=2, apiserver=3)


def test_addresses_do_not_overlap() -> None:
    services = ipaddress.ip_network(components.SERVICE_CIDR)
    pods = ipaddress.ip_network(components.POD_CIDR)
    assert not services.overlaps(pods)
    assert ipaddress.ip_network(containerd.NODE_POD_CIDR).subnet_of(pods)  # type: ignore[arg-type]
    assert ipaddress.ip_address(components.FIRST_SERVICE_ADDRESS) == services[1]
    assert ipaddress.ip_address(node.DNS_ADDRESS) in services
    assert ipaddress.ip_address(node.ADDRESS) not in pods


def test_the_kubelet_writes_below_the_state_folder_only() -> None:
    config = node.kubelet_config(STATE)
    for name in ("resolvConf", "podLogsDir", "volumePluginDir"):
        assert Path(config[name]).is_relative_to(STATE.root)
    assert config["clusterDNS"] == [node.DNS_ADDRESS]


def test_the_api_server_audits_and_authorises() -> None:
    argv = components.apiserver(
        Path("/b/kube-apiserver"), Pki(Path("/p")), PORTS, Path("/policy"), Path("/audit")
    )
    assert "--authorization-mode=Node,RBAC" in argv
    assert "--audit-log-path=/audit" in argv
    assert yaml.safe_load(components.AUDIT_POLICY)["rules"] == [{"level": "Metadata"}]


def test_containerds_configuration_is_valid_toml() -> None:
    runtimes = "".join(
        containerd.RUNTIME.format(name=name, root="/r") for name in containerd.RUNTIMES
    )
    config = tomllib.loads(
        containerd.CONFIG.format(
            root="/r",
            pause=containerd.PAUSE_IMAGE,
            cni_bin="/b",
            cni_conf="/c",
            snapshotter="overlayfs",
            runtimes=runtimes,
        )
    )
    cri = config["plugins"]["io.containerd.grpc.v1.cri"]
    assert set(cri["containerd"]["runtimes"]) == {"runc", "nvidia"}
    assert cri["restrict_oom_score_adj"] is True


def test_the_pod_network_hands_out_the_nodes_addresses() -> None:
    network = json.loads(containerd.pod_network("cluster", Path("/a")))
    assert network["plugins"][0]["ipam"]["ranges"] == [[{"subnet": containerd.NODE_POD_CIDR}]]


def test_the_corefile_serves_the_cluster_and_refuses_the_rest() -> None:
    text = dns.corefile(Path("/k"))
    assert text.startswith("cluster.local in-addr.arpa ip6.arpa {\n")
    assert text.count("{") == text.count("}")
    assert "rcode NXDOMAIN" in text


def test_kinds_configuration_audits_with_either_kubeadm_version() -> None:
    config = yaml.safe_load(kind.CONFIG.format(folder="/s/audit"))
    (control_plane,) = config["nodes"]
    patches = [yaml.safe_load(patch) for patch in control_plane["kubeadmConfigPatches"]]
    older, newer = (patch["apiServer"] for patch in patches)
    listed = {argument["name"]: argument["value"] for argument in newer["extraArgs"]}
    assert older["extraArgs"] == listed
    mount = control_plane["extraMounts"][0]["containerPath"]
    assert all(value.startswith(mount) for value in listed.values())


def test_a_kubeconfig_embeds_what_it_needs() -> None:
    config = json.loads(kubeconfig.text("https://127.0.0.1:1", b"ca", b"crt", b"key"))
    assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:1"
    user = config["users"][0]["user"]
    assert base64.b64decode(user["client-key-data"]) == b"key"


def test_hosts_become_addresses_or_names() -> None:
    assert pki.alternative_names(["127.0.0.1", "localhost"]) == "IP:127.0.0.1, DNS:localhost"


def test_fake_gpus_are_added_to_capacity_and_allocatable() -> None:
    change = fakegpu.patch(2, {})
    assert [step["path"] for step in change] == [
        "/status/capacity/nvidia.com~1gpu",
        "/status/allocatable/nvidia.com~1gpu",
    ]
    assert {step["value"] for step in change} == {"2"}


def test_no_gpus_are_removed_where_there_are_none() -> None:
    assert fakegpu.patch(0, {"cpu": "2"}) == []
    assert [step["op"] for step in fakegpu.patch(0, {"nvidia.com/gpu": "1"})] == ["remove"] * 2


def test_a_negative_number_of_gpus_is_refused() -> None:
    with pytest.raises(Failure):
        fakegpu.offer(-1, Path("/nowhere"))
