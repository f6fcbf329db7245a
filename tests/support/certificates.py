"""Certificates of servers and clients, made with the `openssl` program as those of the cluster."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from docparser_runtime.security.tls import TlsFiles
from localcluster.pki import ADMIN, Pki


@dataclass(frozen=True)
class Certificates:
    """An authority of its own, a server `localhost`, and a client that it knows."""

    pki: Pki

    @classmethod
    def make(cls, folder: Path) -> "Certificates":
        """Make all of them in `folder`."""
        pki = Pki(folder)
        pki.make(("localhost", "127.0.0.1"), (ADMIN,))
        return cls(pki)

    def files(self, *, mutual: bool = False) -> TlsFiles:
        """Return what a server needs; if `mutual`, it asks clients for certificates."""
        key, certificate = self.pki.key("server"), self.pki.certificate("server")
        return TlsFiles(certificate, key, self.pki.authority if mutual else None)

    def client(self, *, shows: "Certificates | None" = None) -> ssl.SSLContext:
        """Return a client that trusts this authority, and shows the client certificate of one."""
        context = ssl.create_default_context(cafile=self.pki.authority)
        if shows is not None:
            context.load_cert_chain(shows.pki.certificate(ADMIN), shows.pki.key(ADMIN))
        return context
