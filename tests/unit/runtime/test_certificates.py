import pytest
from cryptography import x509

from authority import Authority, mount
from forebay.runtime import CertificateError, CertificateFolder

AUTHORITY = Authority()
NAME = x509.DNSName("localhost")


@pytest.fixture
def folder(tmp_path):
    return AUTHORITY.write(tmp_path / "tls", "server", NAME)


def test_unchanged_files_are_not_read_again(folder):
    certificates = CertificateFolder(folder)
    before = certificates.current
    assert not certificates.refresh()
    assert certificates.current is before


def test_new_files_are_read(folder):
    certificates = CertificateFolder(folder)
    before = certificates.current
    AUTHORITY.write(folder, "server", NAME, days=5)
    assert certificates.refresh()
    assert certificates.current.expires > before.expires
    assert not certificates.refresh()


def test_the_last_good_ones_are_kept_while_files_are_missing(folder):
    certificates = CertificateFolder(folder)
    before = certificates.current
    (folder / "tls.key").unlink()
    assert not certificates.refresh()
    assert certificates.current is before
    assert "tls.key: No such file" in certificates.problem


def test_half_replaced_files_are_read_again_until_they_fit(folder):
    certificates = CertificateFolder(folder)
    chain, key = AUTHORITY.issue("server", NAME)
    old = certificates.current
    mount(folder, {"tls.crt": chain, "tls.key": old.key, "ca.crt": AUTHORITY.pem})
    assert not certificates.refresh()
    assert "tls.key is not the key of tls.crt" in certificates.problem
    mount(folder, {"tls.crt": chain, "tls.key": key, "ca.crt": AUTHORITY.pem})
    assert certificates.refresh()
    assert certificates.problem == ""
    assert certificates.current.key == key


@pytest.mark.parametrize("name", ["tls.crt", "tls.key", "ca.crt"])
def test_a_file_that_is_no_pem_is_refused(folder, name):
    (folder / "..data" / name).write_bytes(b"hello")
    with pytest.raises(CertificateError, match="a file is no PEM"):
        CertificateFolder(folder)


@pytest.mark.parametrize("name", ["tls.crt", "tls.key", "ca.crt"])
def test_a_missing_file_is_refused_by_name(folder, name):
    (folder / name).unlink()
    with pytest.raises(CertificateError, match=f"{name}: No such file.*needs tls.crt, tls.key and ca.crt"):
        CertificateFolder(folder)


def test_printing_shows_no_key(folder):
    assert "PRIVATE" not in repr(CertificateFolder(folder).current)
