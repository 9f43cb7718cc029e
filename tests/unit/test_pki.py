"""Issued certificates, verified by cryptography and by OpenSSL."""

import ssl
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_address

import pytest
import site_ca
import tls
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import (
    authority,
    leaf,
    pem,
    renewal,
)
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509 import verification
from site_ca import DAY, NOW, key_text

CA = authority.make_ca("test", "test CA 1", 3650, NOW)
OTHER = authority.make_ca("test", "test CA 1", 3650, NOW)
OLD = authority.make_ca("test", "test CA 0", 3650, NOW - 1000 * DAY)
LEAF = leaf.Leaf(
    name="kafka1",
    common_name="kafka1",
    organization="test",
    dns=("kafka1", "kafka1.example.com"),
    ips=("10.0.0.1", "2001:db8::1"),
)


# -- issued certificates -----------------------------------------------------------------------


def verify(pair, subject, *, roots=(CA.root,), at=NOW):
    builder = verification.PolicyBuilder().store(verification.Store(list(roots))).time(at)
    return builder.build_server_verifier(subject).verify(pair.certificate, list(pair.chain))


@pytest.mark.parametrize(
    "subject",
    [
        *[x509.DNSName(name) for name in ("kafka1", "kafka1.example.com", "KAFKA1.example.com")],
        *[x509.IPAddress(ip_address(address)) for address in ("10.0.0.1", "2001:db8::1")],
    ],
)
def test_each_name_of_a_certificate_verifies_against_its_root(subject):
    assert verify(leaf.issue(LEAF, CA, NOW), subject)[-1] == CA.root


@pytest.mark.parametrize(
    "wrong",
    [
        {"subject": x509.DNSName("kafka2")},
        {"subject": x509.IPAddress(ip_address("10.0.0.2"))},
        {"roots": [OTHER.root]},
        {"at": NOW + 398 * DAY},
        {"at": NOW - timedelta(hours=1)},
    ],
)
def test_wrong_name_root_or_time_is_rejected(wrong):
    pair = leaf.issue(LEAF, CA, NOW)
    with pytest.raises(verification.VerificationError):
        verify(pair, **({"subject": x509.DNSName("kafka1")} | wrong))


@pytest.mark.parametrize("first", [NOW, NOW + DAY])
def test_new_certificate_is_valid_for_slow_clocks(first):
    # On the first day the CA is as new as its certificates.
    pair = leaf.issue(LEAF, CA, first)
    assert verify(pair, x509.DNSName("kafka1"), at=first - timedelta(minutes=5))


def extension(certificate, kind):
    return certificate.extensions.get_extension_for_class(kind)


def test_generated_ca_cannot_sign_another_ca():
    constraints = extension(CA.certificate, x509.BasicConstraints)
    assert (constraints.critical, constraints.value.ca, constraints.value.path_length) == (
        True,
        True,
        0,
    )
    usage = extension(CA.certificate, x509.KeyUsage)
    assert usage.critical
    assert usage.value.key_cert_sign
    assert not usage.value.digital_signature
    assert (CA.certificate.not_valid_after_utc - NOW).days in (3649, 3650)


def test_a_certificate_of_a_member_names_it_and_signs_no_other():
    pair = leaf.issue(LEAF, CA, NOW)
    certificate = pair.certificate
    assert pem.principal_subject(certificate) == "CN=kafka1,O=test"
    assert not authority.may_sign(certificate)
    assert extension(certificate, x509.AuthorityKeyIdentifier).value.key_identifier == (
        extension(CA.certificate, x509.SubjectKeyIdentifier).value.digest
    )
    assert certificate.serial_number != leaf.issue(LEAF, CA, NOW).certificate.serial_number
    assert not pem.is_key_of(leaf.issue(LEAF, CA, NOW).key, certificate)
    assert certificate.not_valid_after_utc == (NOW + 397 * DAY).replace(microsecond=0)


@pytest.mark.parametrize("usages", [("server",), ("client",), ("server", "client")])
def test_a_certificate_has_the_usages_that_are_desired(usages):
    pair = leaf.issue(replace(LEAF, usages=usages), CA, NOW)
    assert renewal.read_names(pair.certificate).usages == usages


def test_a_certificate_does_not_outlive_its_ca():
    short = authority.make_ca("test", "short", 10, NOW)
    pair = leaf.issue(LEAF, short, NOW)
    assert pair.certificate.not_valid_after_utc == short.certificate.not_valid_after_utc
    with pytest.raises(pem.PkiError, match="its CA has expired: CN=short,O=test"):
        leaf.issue(LEAF, short, NOW + 11 * DAY)


def test_keystore_has_unencrypted_pkcs8_key_and_chain():
    below = site_ca.issuing()
    pair = leaf.issue(LEAF, below, NOW)
    text = pair.keystore()
    assert text.startswith("-----BEGIN PRIVATE KEY-----\n")
    assert pem.is_key_of(pem.parse_key(text.encode()), pair.certificate)
    assert pem.parse_certificates(text.encode()) == (pair.certificate, below.certificate)


# -- with OpenSSL, on both sides of a connection ------------------------------------------------


def keystore(spec=LEAF, by=CA, at=NOW):
    return leaf.issue(spec, by, at).keystore()


def trust(*authorities):
    return pem.to_pem(each.root for each in authorities)


def test_client_and_server_authenticate_with_one_ca(tmp_path):
    for name in ("kafka1", "kafka1.example.com", "10.0.0.1", "2001:db8::1"):
        server = tls.server(tmp_path, keystore(), trusted=trust(CA))
        client_context = tls.client(
            tmp_path, trust(CA), keystore=keystore(replace(LEAF, name="alice"))
        )
        assert tls.handshake(client_context, server, name) == b"x"


def test_certificate_of_an_intermediate_needs_only_the_root(tmp_path):
    below = site_ca.issuing()
    server = tls.server(tmp_path, keystore(by=below))
    assert tls.handshake(tls.client(tmp_path, trust(below)), server, "kafka1") == b"x"


@pytest.mark.parametrize(
    ("served", "name", "trusted", "message"),
    [
        (keystore(), "kafka2", trust(CA), "Hostname mismatch"),
        (keystore(), "10.0.0.2", trust(CA), "IP address mismatch"),
        (keystore(by=OTHER), "kafka1", trust(CA), "certificate verify failed"),
        (keystore(by=OLD, at=NOW - 400 * DAY), "kafka1", trust(OLD), "has expired"),
        (keystore(at=NOW + DAY), "kafka1", trust(CA), "not yet valid"),
        (keystore(replace(LEAF, usages=("client",))), "kafka1", trust(CA), "purpose"),
    ],
    ids=tls.named,
)
def test_client_refuses_invalid_certificates(tmp_path, served, name, trusted, message):
    with pytest.raises(ssl.SSLCertVerificationError, match=message):
        tls.handshake(tls.client(tmp_path, trusted), tls.server(tmp_path, served), name)


@pytest.mark.parametrize(
    "presented",
    [None, keystore(by=OTHER), keystore(replace(LEAF, usages=("server",)))],
    ids=tls.named,
)
def test_server_refuses_a_client_without_valid_certificate(tmp_path, presented):
    server = tls.server(tmp_path, keystore(), trusted=trust(CA))
    with pytest.raises(ssl.SSLError):
        tls.handshake(tls.client(tmp_path, trust(CA), keystore=presented), server, "kafka1")


def test_with_both_roots_trusted_old_and_new_certificates_work_both_ways(tmp_path):
    both = trust(CA, OTHER)
    for one, two in ((CA, OTHER), (OTHER, CA)):
        server = tls.server(tmp_path, keystore(by=one), trusted=both)
        client_context = tls.client(tmp_path, both, keystore=keystore(by=two))
        assert tls.handshake(client_context, server, "kafka1") == b"x"


# -- keys and certificates as text --------------------------------------------------------------


EC_KEY = ec.generate_private_key(ec.SECP256R1())


@pytest.mark.parametrize(
    "text",
    [
        key_text(EC_KEY),
        key_text(EC_KEY, serialization.PrivateFormat.TraditionalOpenSSL),
        b"# a remark\n" + key_text(EC_KEY) + pem.to_pem([CA.certificate]).encode(),
        pem.to_pem([CA.certificate]).encode() + key_text(EC_KEY),
    ],
    ids=tls.named,
)
def test_key_is_read_from_all_usual_formats(text):
    assert pem.key_pem(pem.parse_key(text)).encode() == key_text(EC_KEY)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "found no readable private key; required: a key in PEM"),
        (pem.to_pem([CA.certificate]).encode(), "found no readable private key"),
        (key_text(EC_KEY)[:-60], "found no readable private key"),
        (
            key_text(EC_KEY, lock=serialization.BestAvailableEncryption(b"secret")),
            "found a key with a passphrase; required: a key without",
        ),
        (key_text(rsa.generate_private_key(65537, 1024)), "found a key of RSA 1024; allowed"),
        (key_text(ed25519.Ed25519PrivateKey.generate()), "found a key of Ed25519; allowed"),
        (key_text(ec.generate_private_key(ec.SECP256K1())), "allowed: a key on P-256"),
    ],
    ids=tls.named,
)
def test_unsupported_key_is_refused(text, message):
    with pytest.raises(pem.PkiError, match=message):
        pem.parse_key(text)


@pytest.mark.parametrize(
    "text", [b"", b"-----BEGIN CERTIFICATE-----\nAA\n", key_text(EC_KEY)], ids=tls.named
)
def test_a_text_without_certificates_is_refused(text):
    with pytest.raises(pem.PkiError, match="found no readable certificate"):
        pem.parse_certificates(text)


# -- a site's own CA ----------------------------------------------------------------------------


def test_provided_issuing_ca_has_its_chain():
    own = site_ca.issuing()
    assert authority.blockers(own, NOW) == []
    assert own.intermediates == (own.certificate,)
    assert own.root == own.chain[0]


ISSUING = site_ca.issuing()


@pytest.mark.parametrize(
    ("ca", "message"),
    [
        (replace(CA, key=OTHER.key), "found a key of another certificate; required: the key of"),
        (
            replace(ISSUING, chain=()),
            "found no issuer of CN=Issuing CA,O=Example; required: all certificates up to",
        ),
        (
            replace(ISSUING, chain=(CA.certificate,)),
            "found CN=test CA 1,O=test after CN=Issuing CA,O=Example, which it did not sign",
        ),
        (site_ca.issuing(ca=False), "found a certificate that may not sign others: CN=Issuing CA"),
        (site_ca.issuing(end=NOW - timedelta(hours=1)), "CN=Issuing CA,O=Example expired since"),
        (site_ca.issuing(begin=NOW + DAY), "found CN=Issuing CA,O=Example not valid before"),
    ],
)
def test_a_ca_that_cannot_issue_is_refused(ca, message):
    problems = authority.blockers(ca, NOW)
    assert len(problems) == 1
    assert message in problems[0]
