"""The certificate that the service shows, and the authorities that it asks clients for."""

import ssl
from dataclasses import dataclass
from pathlib import Path

from docparser_runtime.security.files import ReloadError


@dataclass(frozen=True)
class TlsFiles:
    """Where the material lies, as PEM.

    Attributes:
        certificate: the chain, our own certificate first.
        key: private key without a passphrase.
        client_authorities: one of them must have signed what clients show; None asks for nothing.
    """

    certificate: Path
    key: Path
    client_authorities: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All of them."""
        all_paths = (self.certificate, self.key, self.client_authorities)
        return tuple(path for path in all_paths if path is not None)


class Tls:
    """What new connections are secured with.

    Attributes:
        context: replaced as a whole; connections that exist keep theirs.
    """

    def __init__(self, files: TlsFiles) -> None:
        """Load the files.

        Raises:
            ReloadError: they do not fit together, or are no PEM.
            OSError: one of them cannot be read.
        """
        self.files = files
        self.context = _context(files)

    def reload(self) -> None:
        """Load the files again. Raises as the constructor does; the old ones stay in use then."""
        self.context = _context(self.files)


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Whoever asks for new keys again and again makes us work for nothing.
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(files.certificate, files.key, password=_no_passphrase)
        if files.client_authorities is not None:
            context.load_verify_locations(files.client_authorities)
            # The kubelet shows no certificate, so the application asks for one where it must.
            context.verify_mode = ssl.CERT_OPTIONAL
    except ssl.SSLError as error:
        reason = (error.reason or "no usable PEM").replace("_", " ").lower()
        raise ReloadError(f"certificate, key or authorities cannot be used: {reason}") from None
    return context


def _no_passphrase() -> str:
    raise ReloadError("the private key must not have a passphrase")
