"""The holder's view of a lease."""

from forebay.spill.lease import Lease, new_nonce


def test_a_lease_ends_by_the_holders_own_clock() -> None:
    lease = Lease(b"1:a:b", "b", renewed=100.0, ttl=15.0)
    assert not lease.expired(114.9)
    assert lease.expired(115.0)


def test_a_renewal_prolongs_it() -> None:
    lease = Lease(b"1:a:b", "b", renewed=100.0, ttl=15.0)
    lease.renewed = 110.0
    assert not lease.expired(120.0)


def test_nonces_differ_and_hold_letters_and_digits_only() -> None:
    nonces = {new_nonce() for _ in range(100)}
    assert len(nonces) == 100
    assert all(nonce.isalnum() for nonce in nonces)
