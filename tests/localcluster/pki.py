"""The certificates of a cluster, made with the `openssl` program."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from localcluster import commands

VALID_DAYS = 730
RENEW_BEFORE_SECONDS = 60 * 24 * 3600
NODE = "docparser-local"

# Kubernetes reads a certificate's O as the group and its CN as the user.
ADMIN = "admin"
CLIENTS = {
    ADMIN: "/O=system:masters/CN=kubernetes-admin",
    "kubelet-client": "/O=system:masters/CN=kube-apiserver-kubelet-client",
    "controller-manager": "/CN=system:kube-controller-manager",
    "scheduler": "/CN=system:kube-scheduler",
    "kubelet": f"/O=system:nodes/CN=system:node:{NODE}",
    "kube-proxy": "/CN=system:kube-proxy",
    "coredns": "/CN=system:coredns",
}

# Complete in itself: the machine's own openssl.cnf may say anything.
CONFIG = """\
[req]
distinguished_name = subject
prompt = no
[subject]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, digitalSignature, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
authorityKeyIdentifier = keyid
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
authorityKeyIdentifier = keyid
subjectAltName = {hosts}
"""


def alternative_names(hosts: Iterable[str]) -> str:
    """The hosts as openssl writes them: addresses as IP, the rest as DNS."""
    return ", ".join(f"{'IP' if host[-1].isdigit() else 'DNS'}:{host}" for host in hosts)


@dataclass(frozen=True)
class Pki:
    """The keys and certificates in one folder."""

    folder: Path

    def certificate(self, name: str) -> Path:
        """A certificate's file."""
        return self.folder / f"{name}.crt"

    def key(self, name: str) -> Path:
        """A private key's file."""
        return self.folder / f"{name}.key"

    @property
    def authority(self) -> Path:
        """The certificate that all others are checked against."""
        return self.certificate("ca")

    @property
    def service_account_public(self) -> Path:
        """The key that checks the tokens of service accounts."""
        return self.folder / "service-account.pub"

    def make(self, hosts: Iterable[str], clients: Iterable[str]) -> None:
        """Make everything anew: authority, server, the named clients, service-account key."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        self._config.write_text(CONFIG.format(hosts=alternative_names(hosts)))
        self._request(
            "ca", "/CN=docparser-local-ca", "-x509", *self._days, "-extensions", "authority"
        )
        self._issue("server", "/CN=kube-apiserver", "server")
        for name in clients:
            self._issue(name, CLIENTS[name], "client")
        curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        key = self.key("service-account")
        commands.output(["openssl", "genpkey", *curve, "-out", key])
        public = self.service_account_public
        commands.output(["openssl", "pkey", "-in", key, "-pubout", "-out", public])

    def near_expiry(self) -> bool:
        """Whether the certificates end soon or are missing; one stands for all."""
        still_good = ["openssl", "x509", "-noout", "-checkend", str(RENEW_BEFORE_SECONDS)]
        return not commands.succeeds([*still_good, "-in", self.authority])

    @property
    def _config(self) -> Path:
        return self.folder / "openssl.cnf"

    @property
    def _days(self) -> list[str]:
        return ["-days", str(VALID_DAYS), "-set_serial", f"0x{secrets.token_hex(8)}"]

    def _request(self, name: str, subject: str, *options: str) -> None:
        target = self.certificate(name) if "-x509" in options else self.folder / f"{name}.csr"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        files: commands.Argv = ["-config", self._config, "-keyout", self.key(name), "-out", target]
        commands.output(["openssl", "req", "-new", *curve, "-subj", subject, *files, *options])

    def _issue(self, name: str, subject: str, extensions: str) -> None:
        self._request(name, subject)
        request = self.folder / f"{name}.csr"
        signer: commands.Argv = ["-CA", self.authority, "-CAkey", self.key("ca"), *self._days]
        extension: commands.Argv = ["-extfile", self._config, "-extensions", extensions]
        files: commands.Argv = ["-in", request, "-out", self.certificate(name)]
        commands.output(["openssl", "x509", "-req", *signer, *extension, *files])
        request.unlink()
