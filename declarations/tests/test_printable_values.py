"""Values of client options that no message contains, and values as messages have them."""

import pytest
from kafka_metal_declarations.printable_values import LONGEST, hide_passwords, printable_value

HIDDEN = "a hidden value"


@pytest.mark.parametrize(
    "option",
    [
        "kafka.SSL.Key.Password",
        "sasl.jaas.config",
        "spark.hadoop.fs.s3a.secret.key",
        "spark.hadoop.fs.azure.account.key.a.dfs",
        "spark.hadoop.fs.s3a.aws.credentials.provider",
    ],
)
def test_secrets_are_hidden(option: str) -> None:
    assert printable_value(option, "AAAA") == HIDDEN


@pytest.mark.parametrize("option", ["buffer.memory", "ssl.keystore.type", "key.deserializer"])
def test_other_values_are_printed(option: str) -> None:
    assert printable_value(option, "AAAA") == "AAAA"


def test_secrets_in_values_that_are_no_text_are_hidden() -> None:
    assert printable_value("databases", {"shop": {"password": "AAAA"}}) == HIDDEN


VALUES = {
    "a number": (5, "5"),
    "no text": ("", "''"),
    "a list": (["all"], "['all']"),
    "a long text": ("a" * 1000, "a" * LONGEST + "…"),
    "a huge number": (10**5000, "a number of thousands of digits"),
}


@pytest.mark.parametrize(("value", "printed"), VALUES.values(), ids=VALUES)
def test_values_of_every_type_are_formatted(value: object, printed: str) -> None:
    assert printable_value("acks", value) == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("postgresql://shop:AAAA@h:5432/d", "postgresql://<hidden>@h:5432/d"),
        ("jdbc:postgresql://shop:AA/A@A A@h/d", "jdbc:postgresql://<hidden>@h/d"),
        ("oracle:thin:shop/AAAA@//h:1521/d", "oracle:<hidden>@//h:1521/d"),
        (
            "postgresql://h/d?password=AA@A A&ssl=true",
            "postgresql://h/d?password=<hidden>&ssl=true",
        ),
        ("mysql://h/d?sslPassword=AAAA", "mysql://h/d?sslPassword=<hidden>"),
        ("sqlserver://h;password={AA;}}AA};user=u", "sqlserver://h;password=<hidden>;user=u"),
        ("['shop:AAAA@h:9092', 'h:9092']", "['shop:<hidden>@h:9092', 'h:9092']"),
        ("E: no driver for jdbc:x://u:AAAA@h", "E: no driver for jdbc:x://<hidden>@h"),
    ],
)
def test_passwords_of_urls_are_hidden(text: str, printed: str) -> None:
    assert hide_passwords(text) == printed


@pytest.mark.parametrize(
    "text",
    ["jdbc:postgresql://h:5432/d?ssl=true", "spark://h:7077", "java.lang.Error: X@1a2b", "a@b.c"],
)
def test_texts_without_passwords_are_kept(text: str) -> None:
    assert hide_passwords(text) == text


@pytest.mark.parametrize("text", ["a:" * 50_000, "a://" * 25_000, "token" * 20_000])
def test_passwords_are_searched_in_linear_time(text: str) -> None:
    assert hide_passwords(text) == text
