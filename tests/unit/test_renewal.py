"""Renewal of certificates, and validation of ready-made ones."""

from dataclasses import replace
from datetime import timedelta

import pytest
import site_ca
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import (
    authority,
    leaf,
    provided,
    renewal,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import ExtendedKeyUsageOID
from site_ca import DAY, NOW

CA = authority.make_ca("test", "test CA 1", 3650, NOW)
NEXT = authority.make_ca("test", "test CA 2", 3650, NOW)
LEAF = leaf.Leaf(
    "kafka1", "kafka1", "test", ("a.example.com", "kafka1"), ("10.0.0.1", "2001:db8::1")
)
PAIR = leaf.issue(LEAF, CA, NOW)


def reason(pair=PAIR, spec=LEAF, ca=CA, at=NOW, before=30):
    return renewal.reason_to_renew(pair, spec, ca, at, before)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"spec": replace(LEAF, dns=LEAF.dns[::-1], ips=LEAF.ips[::-1])}, None),
        ({"spec": replace(LEAF, days=90)}, None),
        (
            {"spec": replace(LEAF, dns=("kafka1",))},
            "its DNS names are a.example.com, kafka1; declared: kafka1",
        ),
        (
            {"spec": replace(LEAF, ips=())},
            "its addresses are 10.0.0.1, 2001:db8::1; declared: none",
        ),
        (
            {"spec": replace(LEAF, usages=("client",))},
            "its usages are client, server; declared: client",
        ),
        (
            {"spec": replace(LEAF, common_name="k1")},
            "its subject is CN=kafka1,O=test; declared: CN=k1,O=test",
        ),
        (
            {"spec": replace(LEAF, organization="prod")},
            "its subject is CN=kafka1,O=test; declared: CN=kafka1,O=prod",
        ),
        ({"ca": NEXT}, "it was issued by CN=test CA 1,O=test, not by the current CA"),
        ({"pair": replace(PAIR, key=NEXT.key)}, "its key belongs to another certificate"),
        (
            {"pair": replace(PAIR, chain=(NEXT.certificate,))},
            "the intermediate certificates have changed",
        ),
        ({"at": NOW + 366 * DAY}, None),
        ({"at": NOW + 377 * DAY}, "it expires in 19 days"),
        ({"at": NOW + 398 * DAY}, "it expired 2 days ago"),
        ({"at": NOW + 377 * DAY, "before": 10}, None),
        ({"at": NOW + 377 * DAY, "before": 0}, None),
        ({"at": NOW + 398 * DAY, "before": 0}, "it expired 2 days ago"),
    ],
)
def test_renewal_has_a_reason(change, why):
    assert reason(**change) == why


@pytest.mark.parametrize(
    ("hours", "renewed"), [(0, False), (15, False), (17, True), (24, True), (30, True)]
)
def test_a_short_lived_certificate_is_renewed_in_the_last_third_of_its_life(hours, renewed):
    short = replace(LEAF, days=1)
    pair = leaf.issue(short, CA, NOW)
    found = reason(pair, short, at=NOW + timedelta(hours=hours))
    assert (found is not None) is renewed


def test_certificate_that_expires_with_its_ca_is_not_renewed_repeatedly():
    short = authority.make_ca("test", "short", 100, NOW)
    pair = leaf.issue(LEAF, short, NOW)
    assert reason(pair, ca=short, at=NOW + 95 * DAY) is None


def test_certificate_report_has_expiry_and_no_secret():
    report = renewal.end_report("kafka1", PAIR.certificate, NOW + 10 * DAY)
    assert report["days_left"] == 386
    assert report["not_after"] == (NOW + 397 * DAY).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (report["subject"], report["issuer"]) == ("CN=kafka1,O=test", "CN=test CA 1,O=test")
    assert set(report) == {
        *("name", "subject", "issuer", "serial", "fingerprint", "not_after", "days_left")
    }


# -- ready-made certificates --------------------------------------------------------------------


def validated(pair=PAIR, spec=LEAF, roots=(CA.root,), at=NOW):
    return provided.blockers(pair, spec, roots, at)


WILD = leaf.issue(replace(LEAF, dns=("*.example.com", "kafka1")), CA, NOW)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"spec": replace(LEAF, dns=("kafka1",), ips=(), usages=("server",))}, None),
        ({"spec": replace(LEAF, common_name="other", organization="other")}, None),
        ({"pair": WILD}, None),
        ({"roots": (NEXT.root, CA.root)}, None),
        (
            {"pair": replace(PAIR, key=NEXT.key)},
            "found a key of another certificate; required: the",
        ),
        ({"at": NOW + 400 * DAY}, "found CN=kafka1,O=test expired since"),
        ({"at": NOW - DAY}, "found CN=kafka1,O=test not valid before"),
        (
            {"roots": (NEXT.root,)},
            "found a certificate of CN=test CA 1,O=test that has no trusted root; allowed: "
            "one of CN=test CA 2,O=test",
        ),
        (
            {"spec": replace(LEAF, dns=("kafka1", "kafka9"))},
            "found the DNS names a.example.com, kafka1; required: also kafka9",
        ),
        (
            {"pair": WILD, "spec": replace(LEAF, dns=("a.b.example.com", "example.com"))},
            "required: also a.b.example.com, example.com",
        ),
        (
            {"spec": replace(LEAF, ips=("10.0.0.9",))},
            "found the addresses 10.0.0.1, 2001:db8::1; required: also 10.0.0.9",
        ),
        (
            {"pair": leaf.issue(replace(LEAF, usages=("client",)), CA, NOW)},
            "found the usages client; required: also server",
        ),
    ],
)
def test_ready_made_certificate_is_validated(change, message):
    problems = validated(**change)
    assert len(problems) == (message is not None)
    assert message is None or message in problems[0]


def foreign(usages=(), algorithm=None):
    """Return a certificate of another issuer, with any usages or none, and its root."""
    algorithm = algorithm or hashes.SHA256()
    key, ca = PAIR.key, site_ca.make("Root CA")
    builder = (
        x509.CertificateBuilder()
        .subject_name(authority.subject_name("Example", "kafka1"))
        .issuer_name(ca.certificate.subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW)
        .not_valid_after(NOW + DAY)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("KAFKA1")]), critical=False)
    )
    if usages:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    return leaf.Pair(builder.sign(ca.key, algorithm), key), ca.root


@pytest.mark.parametrize("usages", [(), (ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,)])
def test_certificate_without_usages_has_all_usages(usages):
    pair, root = foreign(usages)
    assert validated(pair, replace(LEAF, dns=("kafka1",), ips=()), [root], NOW) == []


def test_certificate_of_an_intermediate_needs_its_chain():
    below = site_ca.issuing()
    pair = leaf.issue(LEAF, below, NOW)
    assert validated(pair, roots=[below.root]) == []
    assert provided.find_root(pair.certificate, pair.chain, [below.root]) == below.root
    foreign_chain = replace(PAIR, chain=pair.chain)
    for wrong in (replace(pair, chain=()), foreign_chain):
        assert "has no trusted root" in validated(wrong, roots=[below.root])[0]


@pytest.mark.parametrize(
    ("roots", "message"),
    [
        ((CA.root, NEXT.root), None),
        ((PAIR.certificate,), "found CN=kafka1,O=test, which is not a root; allowed: only roots"),
        ((site_ca.issuing().certificate,), "found CN=Issuing CA,O=Example, which is not a root"),
        ((site_ca.make("Old", end=NOW - timedelta(hours=1)).root,), "expired since"),
    ],
)
def test_trusted_certificates_must_be_valid_roots(roots, message):
    problems = provided.root_blockers(roots, NOW)
    assert len(problems) == (message is not None)
    assert message is None or message in problems[0]
