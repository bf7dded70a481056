import pytest

from forebay.runtime import Address, AddressError, InsecureBindError, parse_address
from forebay.runtime.address import check_plaintext


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:80", Address("127.0.0.1", 80)),
        ("localhost:0", Address("localhost", 0)),
        ("[::1]:443", Address("::1", 443)),
        ("unix:/run/forebay.sock", Address("unix:/run/forebay.sock", 0)),
    ],
)
def test_an_address_is_read_and_written_alike(text, address):
    assert parse_address(text) == address
    assert str(address) == text


@pytest.mark.parametrize("text", ["", "host", ":80", "host:", "host:http", "host:65536", "host:-1", "host:٣"])
def test_what_is_no_address_is_refused_by_name(text):
    with pytest.raises(AddressError, match="is no address: give host:port"):
        parse_address(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "unix:/x"])
def test_loopback_takes_plain_text(host):
    check_plaintext(Address(host, 1), allowed=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "localhost.example"])
def test_elsewhere_plain_text_is_refused_with_the_remedy(host):
    with pytest.raises(InsecureBindError, match=r"tls\.crt.*127\.0\.0\.1.*insecure"):
        check_plaintext(Address(host, 1), allowed=False)


def test_plain_text_elsewhere_can_be_allowed():
    check_plaintext(Address("0.0.0.0", 1), allowed=True)
