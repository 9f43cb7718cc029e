"""A company's CA: a root, and an issuing CA below it; CAs of the collection have one level."""

from datetime import UTC, datetime, timedelta

from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import authority
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def make(name, above=None, *, begin=NOW - DAY, end=NOW + 1000 * DAY, ca=True):
    """A CA below ``above``, or a root."""
    key = ec.generate_private_key(ec.SECP384R1())
    subject = authority.subject_name("Example", name)
    by = above.certificate.subject if above else subject
    signing = above.key if above else key
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(authority._ca_key_usage(), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(identifier, critical=False)
        .sign(signing, hashes.SHA384())
    )
    chain = (above.certificate, *above.chain) if above else ()
    return authority.Authority(certificate, key, chain)


def issuing(**wrong):
    return make("Issuing CA", make("Root CA"), **wrong)


def key_text(key, style=serialization.PrivateFormat.PKCS8, lock=None):
    lock = lock or serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, style, lock)
