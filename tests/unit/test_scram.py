"""SCRAM against the examples of its RFCs, and hidden secrets."""

import base64

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.scram import (
    Key,
    LoginAttempt,
    ScramError,
    Secret,
    format_hashed,
    hash_password,
    parse_hashed,
    parse_secret,
)

# RFC 7677, section 3: user "user", password "pencil".
NONCE = "rOprNGfwEbeRWgbNEkqO"
CHALLENGE = (
    b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
)
FINAL = (
    b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    b"p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
)
LAST = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def attempt(secret):
    return LoginAttempt(Key("user", "SCRAM-SHA-256"), secret, NONCE)


def test_messages_equal_the_example_of_the_rfc():
    made = attempt(Secret("pencil"))
    assert made.first() == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    assert made.final(CHALLENGE) == FINAL
    assert made.confirmed(LAST)


@pytest.mark.parametrize("last", [b"v=AAAA", b"v=", b"e=other-error", b"v=***"])
def test_wrong_server_signature_is_not_confirmed(last):
    made = attempt(Secret("pencil"))
    made.final(CHALLENGE)
    assert not made.confirmed(last)


def test_hashed_password_is_sufficient():
    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    hashed = hash_password("pencil", "SCRAM-SHA-256", 4096, salt)
    assert attempt(Secret(hashed={"SCRAM-SHA-256": hashed})).final(CHALLENGE) == FINAL


@pytest.mark.parametrize(("salt", "iterations"), [(b"other", 4096), (None, 8192)])
def test_hashed_password_with_other_salt_or_iterations_fails(salt, iterations):
    salt = salt or base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    hashed = hash_password("pencil", "SCRAM-SHA-256", iterations, salt)
    assert attempt(Secret(hashed={"SCRAM-SHA-256": hashed})).final(CHALLENGE) is None


@pytest.mark.parametrize(
    "challenge",
    [
        b"",
        b"r=other,s=AAAA,i=4096",
        b"r=rOprNGfwEbeRWgbNEkqO1,s=AAAA,i=none",
        b"r=rOprNGfwEbeRWgbNEkqO1,s=AAAA,i=99999999",
        b"r=rOprNGfwEbeRWgbNEkqO1,i=4096",
    ],
)
def test_invalid_first_message_of_the_server_is_an_error(challenge):
    with pytest.raises(ScramError, match="the server's first message"):
        attempt(Secret("pencil")).final(challenge)


def test_separators_in_names_are_escaped():
    made = LoginAttempt(Key("a=b,c", "SCRAM-SHA-512"), Secret("x"), "n")
    assert made.first() == b"n,,n=a=3Db=2Cc,r=n"


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_hashed_password_round_trip(mechanism):
    hashed = hash_password("pencil-case", mechanism, 4096)
    assert parse_hashed(format_hashed(mechanism, hashed)) == (mechanism, hashed)
    assert len(hashed.salt) >= 16
    assert hash_password("pencil-case", mechanism, 4096).salt != hashed.salt


GOOD = format_hashed("SCRAM-SHA-512", hash_password("pencil-case", "SCRAM-SHA-512", 4096))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pencil", "does not have the form"),
        (GOOD.replace("SHA-512", "SHA-1"), "does not have the form"),
        (GOOD.replace("salt=", "sal="), "does not have the form"),
        (GOOD.replace("4096", "1"), "iterations are not a number from 4096 to 16384"),
        (GOOD.replace("salt=", "salt=*"), "is not Base64"),
        (GOOD.replace("SHA-512", "SHA-256"), "saltedpassword does not have the length"),
    ],
)
def test_error_on_hashed_password_hides_its_value(text, message):
    with pytest.raises(ScramError, match=message) as refusal:
        parse_secret("alice", text, hashed=True)
    assert "pencil" not in str(refusal.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("brief", "shorter than 8 characters"),
        (12345678, "is not text"),
        (" blanks ", "starts or ends with a space"),
        ("pass\nword", "control characters"),
        ("alice-the-user", "is the user's name"),
    ],
)
def test_error_on_password_hides_its_value(value, message):
    with pytest.raises(ScramError, match=message) as refusal:
        parse_secret("alice-the-user", value)
    assert str(value) not in str(refusal.value)


def test_repr_hides_secrets():
    hashed = hash_password("pencil-case", "SCRAM-SHA-512", 4096, b"grains of salt")
    text = repr([Secret("pencil-case"), Secret(hashed={"SCRAM-SHA-512": hashed}), hashed])
    assert "pencil" not in text
    assert "grains" not in text
