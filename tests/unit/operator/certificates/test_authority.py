from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.x509.oid import ExtendedKeyUsageOID
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from forebay_operator.certificates import Authority
from forebay_operator.certificates.issuing import AUTHORITY_LIFE, LEAF_LIFE
from forebay_operator.certificates.renewal import due
from forebay_operator.errors import AuthorityError

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NAME = "hub-outfeed.news.svc"


@pytest.fixture(scope="module")
def authority():
    return Authority.make("news", START)


def verify(chain, bundle, now, name=NAME):
    """Raise `VerificationError` unless a TLS library that follows RFC 5280 would believe the certificate."""
    store = Store(x509.load_pem_x509_certificates(bundle))
    verifier = PolicyBuilder().store(store).time(now).build_server_verifier(x509.DNSName(name))
    verifier.verify(x509.load_pem_x509_certificate(chain), [])


def leaf_of(authority, *names, now=START):
    return x509.load_pem_x509_certificate(authority.issue(names or (NAME,), now).chain)


def extension(certificate, kind):
    return certificate.extensions.get_extension_for_class(kind)


def test_a_certificate_is_believed_by_the_bundle(authority):
    issued = authority.issue((NAME, "localhost"), START)
    verify(issued.chain, issued.authorities, START)
    verify(issued.chain, issued.authorities, START, "localhost")
    assert issued.authorities == authority.bundle
    assert issued.expires == START + LEAF_LIFE


def test_another_authority_is_not_believed(authority):
    with pytest.raises(VerificationError):
        verify(authority.issue((NAME,), START).chain, Authority.make("news", START).bundle, START)


def test_a_certificate_counts_for_clocks_that_are_five_minutes_late(authority):
    issued = authority.issue((NAME,), START)
    verify(issued.chain, issued.authorities, START - timedelta(minutes=5))
    with pytest.raises(VerificationError):
        verify(issued.chain, issued.authorities, START - timedelta(minutes=6))


def test_an_authority_may_sign_certificates_and_no_other_authorities(authority):
    certificate = authority.signer.certificate
    assert extension(certificate, x509.BasicConstraints).value == x509.BasicConstraints(ca=True, path_length=0)
    usage = extension(certificate, x509.KeyUsage)
    assert usage.critical
    assert (usage.value.key_cert_sign, usage.value.digital_signature) == (True, False)
    assert certificate.not_valid_after_utc == START + AUTHORITY_LIFE


def test_a_leaf_is_for_servers_and_clients_and_no_authority(authority):
    leaf = leaf_of(authority)
    assert extension(leaf, x509.BasicConstraints).value == x509.BasicConstraints(ca=False, path_length=None)
    usage = extension(leaf, x509.KeyUsage).value
    assert (usage.digital_signature, usage.key_cert_sign) == (True, False)
    assert set(extension(leaf, x509.ExtendedKeyUsage).value) == {
        ExtendedKeyUsageOID.SERVER_AUTH,
        ExtendedKeyUsageOID.CLIENT_AUTH,
    }


def test_a_leaf_names_the_key_of_its_authority_and_its_own(authority):
    leaf, issuer = leaf_of(authority), authority.signer.certificate
    identifier = extension(issuer, x509.SubjectKeyIdentifier).value.key_identifier
    assert extension(leaf, x509.AuthorityKeyIdentifier).value.key_identifier == identifier
    assert extension(leaf, x509.SubjectKeyIdentifier).value.key_identifier != identifier


def test_a_leaf_has_a_key_on_p256_a_serial_of_its_own_and_no_common_name(authority):
    first, second = leaf_of(authority), leaf_of(authority)
    assert isinstance(first.public_key().curve, SECP256R1)
    assert first.serial_number != second.serial_number
    assert not first.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)


def test_an_authority_comes_back_from_its_secret(authority):
    data = authority.to_secret()
    assert data.keys() == {"tls.crt", "tls.key", "ca.crt"}
    again = Authority.from_secret("news", data)
    assert (again.bundle, again.to_secret()) == (authority.bundle, data)


def test_one_with_an_upcoming_and_a_former_authority_comes_back_too():
    aged = Authority.make("news", START).advance(START + 2500 * DAY)
    assert aged.to_secret().keys() == {"tls.crt", "tls.key", "ca.crt", "next.crt", "next.key"}
    assert Authority.from_secret("news", aged.to_secret()).to_secret() == aged.to_secret()
    promoted = aged.advance(START + 2502 * DAY)
    assert Authority.from_secret("news", promoted.to_secret()).former == promoted.former != ()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"tls.crt": b"nonsense"}, id="certificate"),
        pytest.param({"tls.key": b"nonsense"}, id="key"),
        pytest.param({"ca.crt": b""}, id="bundle"),
        pytest.param({"next.crt": b"nonsense"}, id="half-an-upcoming-one"),
        pytest.param({"tls.key": Authority.make("other", START).signer.key_pem}, id="another-key"),
    ],
)
def test_a_damaged_secret_is_refused_with_the_remedy(authority, change):
    with pytest.raises(AuthorityError, match="restore its Secret, or delete it") as caught:
        Authority.from_secret("news", authority.to_secret() | change)
    assert "PRIVATE" not in str(caught.value)


def test_nothing_is_due_while_two_thirds_of_the_life_are_not_over(authority):
    assert authority.advance(START + 2400 * DAY) is authority


def test_another_authority_is_introduced_for_a_day_before_it_signs():
    old = Authority.make("news", START)
    introduced = old.advance(START + 2500 * DAY)
    assert introduced.signer == old.signer
    assert introduced.upcoming.pem in introduced.bundle
    later = START + 2500 * DAY + timedelta(hours=23)
    assert introduced.advance(later) is introduced
    promoted = introduced.advance(START + 2501 * DAY)
    assert promoted.signer == introduced.upcoming
    assert promoted.upcoming is None
    assert old.signer.pem in promoted.bundle


def test_the_former_authority_is_forgotten_when_all_that_it_signed_has_ended():
    promoted = Authority.make("news", START).advance(START + 2500 * DAY).advance(START + 2501 * DAY)
    assert promoted.advance(START + 2501 * DAY + LEAF_LIFE) is promoted
    assert promoted.advance(START + 2502 * DAY + LEAF_LIFE).former == ()


def test_an_authority_that_ended_while_nobody_looked_is_replaced_at_once(authority):
    later = START + 4000 * DAY
    fresh = authority.advance(later)
    assert (fresh.upcoming, fresh.former) == (None, ())
    verify(fresh.issue((NAME,), later).chain, fresh.bundle, later)


def test_an_introduction_is_cut_short_when_the_old_authority_ends():
    late = START + AUTHORITY_LIFE - timedelta(hours=4)
    introduced = Authority.make("news", START).advance(late)
    after = introduced.advance(START + AUTHORITY_LIFE)
    assert after.signer == introduced.upcoming


def test_a_leaf_does_not_outlive_its_authority(authority):
    leaf = leaf_of(authority, now=START + AUTHORITY_LIFE - 10 * DAY)
    assert leaf.not_valid_after_utc == START + AUTHORITY_LIFE


def test_for_25_years_every_certificate_is_believed_by_the_bundle_of_three_days_before():
    authority = Authority.make("news", START)
    issued = authority.issue((NAME,), START)
    chains, bundles, believed, renewals = [issued.chain], [authority.bundle], set(), 0
    for day in range(0, 25 * 365, 3):
        now = START + day * DAY
        authority = authority.advance(now)
        if due(issued.chain, authority, (NAME,), now):
            issued, renewals = authority.issue((NAME,), now), renewals + 1
        assert now + 20 * DAY < issued.expires
        # What was distributed last may still be in use in one place, and the newest in another.
        chains, bundles = [*chains[-1:], issued.chain], [*bundles[-1:], authority.bundle]
        for pair in {*product(chains, bundles)} - believed:
            verify(*pair, now)
            verify(*pair, now + 20 * DAY)
            believed.add(pair)
    assert renewals == 152  # every 60 days, as seen every third day
