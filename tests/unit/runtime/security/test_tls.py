"""What a server takes for its certificate."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from docparser_runtime.security.files import ReloadError
from docparser_runtime.security.tls import Tls, TlsFiles
from support.certificates import Certificates


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("others"))


def test_old_versions_are_not_spoken(certificates: Certificates) -> None:
    context = Tls(certificates.files()).context
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert context.verify_mode is ssl.CERT_NONE
    assert Tls(certificates.files(mutual=True)).context.verify_mode is ssl.CERT_OPTIONAL


def test_a_key_of_another_certificate_is_refused(
    certificates: Certificates, others: Certificates
) -> None:
    files = TlsFiles(certificates.files().certificate, others.files().key)
    with pytest.raises(ReloadError, match="key values mismatch"):
        Tls(files)


@pytest.mark.parametrize("name", ["certificate", "key", "client_authorities"])
def test_a_file_without_pem_is_refused(
    certificates: Certificates, tmp_path: Path, name: str
) -> None:
    whole = certificates.files(mutual=True)
    broken = tmp_path / "broken"
    broken.write_text("canary")
    files = TlsFiles(**{**vars(whole), name: broken})
    with pytest.raises(ReloadError, match="cannot be used") as refusal:
        Tls(files)
    assert "canary" not in str(refusal.value)


def test_nobody_is_asked_for_a_passphrase(certificates: Certificates, tmp_path: Path) -> None:
    files = certificates.files()
    locked = tmp_path / "locked"
    command = ["openssl", "pkey", "-aes256", "-passout", "pass:x", "-in", str(files.key)]
    subprocess.run([*command, "-out", locked], check=True)
    with pytest.raises(ReloadError, match="passphrase"):
        Tls(TlsFiles(files.certificate, locked))


def test_what_cannot_be_loaded_leaves_the_old_in_use(
    certificates: Certificates, tmp_path: Path
) -> None:
    whole = certificates.files()
    files = TlsFiles(tmp_path / "tls.crt", tmp_path / "tls.key")
    shutil.copy(whole.certificate, files.certificate)
    shutil.copy(whole.key, files.key)
    tls = Tls(files)
    before = tls.context
    files.key.write_text("canary")
    with pytest.raises(ReloadError):
        tls.reload()
    files.key.unlink()
    with pytest.raises(FileNotFoundError):
        tls.reload()
    assert tls.context is before
    shutil.copy(whole.key, files.key)
    tls.reload()
    assert tls.context is not before
