import base64
import hashlib
import hmac

import pytest
from ansible_collections.metal.kafka.plugins.module_utils import scram

# The example of RFC 7677, section 3.
SALT = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
MESSAGES = (
    "n=user,r=rOprNGfwEbeRWgbNEkqO,"
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
)
PROOF = base64.b64decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
SERVER_SIGNATURE = base64.b64decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


def test_a_credential_accepts_the_proof_of_the_standard_and_answers_it():
    kept = scram.credential("pencil", SALT, 4096, "SCRAM-SHA-256")
    signature = hmac.digest(kept.stored_key, MESSAGES.encode(), "sha256")
    client_key = bytes(a ^ b for a, b in zip(signature, PROOF, strict=True))
    assert hashlib.sha256(client_key).digest() == kept.stored_key
    assert hmac.digest(kept.server_key, MESSAGES.encode(), "sha256") == SERVER_SIGNATURE


def test_the_default_is_sha_512_with_a_salt_of_its_own():
    one, two = scram.credential("pencil"), scram.credential("pencil")
    assert len(one.stored_key) == len(one.server_key) == 64
    assert one.salt != two.salt
    assert one.iterations == 4096


@pytest.mark.parametrize("mechanism", sorted(scram.MECHANISMS))
def test_a_password_verifies_against_its_own_credential_alone(mechanism):
    kept = scram.credential("geheim é", mechanism=mechanism)
    assert scram.verifies("geheim é", kept, mechanism)
    assert not scram.verifies("geheim", kept, mechanism)
    other = scram.credential("other", kept.salt, mechanism=mechanism)
    for wrong in ("stored_key", "server_key"):
        mixed = scram.Credential(**{**vars(kept), wrong: getattr(other, wrong)})
        assert not scram.verifies("geheim é", mixed, mechanism)


def test_a_credential_survives_its_text():
    kept = scram.credential("pencil", SALT, 8192)
    text = scram.to_text(kept)
    assert text.startswith("salt=W22ZaJ0SNY7soEsUEjb6gQ==,stored_key=")
    assert text.endswith(",iterations=8192")
    assert scram.of_text(text) == kept
    assert "stored" not in repr(kept)


@pytest.mark.parametrize(
    "text",
    ["", "salt=AA==", "salt=%,stored_key=AA==,server_key=AA==,iterations=1", "a=b,iterations=x"],
)
def test_another_text_is_no_credential(text):
    with pytest.raises(scram.ScramError, match="no SCRAM credential; wanted: salt, stored_key"):
        scram.of_text(text)
