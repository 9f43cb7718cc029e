"""Values of client options that no message contains, and values as messages have them."""

import time

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
        ("sqlserver://h;password={AA;AAAA", "sqlserver://h;password=<hidden>"),
        ("['shop:AAAA@h:9092', 'h:9092']", "['shop:<hidden>@h:9092', 'h:9092']"),
        (
            'no listener at jdbc:oracle:thin:scott/"ti/ger @x"@//h:1521/d of shop',
            "no listener at jdbc:<hidden>@//h:1521/d of shop",
        ),
        ('at \'thin:"sco tt"/"a;pwd=b@c"@h\' (1)', "at 'thin:<hidden>@h' (1)"),
        ('{"url": "oracle:oci:a/\\"b@c\\"@h"}', '{"url": "oracle:<hidden>@h"}'),
        ("E: no driver for jdbc:x://u:AAAA@h", "E: no driver for jdbc:x://<hidden>@h"),
    ],
)
def test_passwords_of_urls_are_hidden(text: str, printed: str) -> None:
    assert hide_passwords(text) == printed


@pytest.mark.parametrize(
    "text",
    [
        "jdbc:postgresql://h:5432/d?ssl=true", "spark://h:7077", "java.lang.Error: X@1a2b", "a@b.c",
        "at 12:30@h:9092", "kafka:4.1@sha256:0123456789abcdef", "r:5000/kafka:4.1@sha256:0123ab",
        'of "a@b" at oracle:thin/"c"', 'thin: a/"b" of c@d',
    ],
)  # fmt: skip
def test_texts_without_passwords_are_kept(text: str) -> None:
    assert hide_passwords(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a:" * 50_000,
        "a://" * 25_000,
        "token" * 20_000,
        'oracle:a:b/"' * 8_000,
        "thin:" * 20_000,
        'thin:a/"' * 12_500,
    ],
)
def test_passwords_are_searched_in_linear_time(text: str) -> None:
    # Of this process: the machine may be busy.
    started = time.process_time()
    assert hide_passwords(text) == text
    assert time.process_time() - started < 1


@pytest.mark.parametrize("unclosed", ["password={&", "pwd={a;", "secret%3D{;"])
def test_unclosed_values_are_hidden_in_linear_time(unclosed: str) -> None:
    started = time.process_time()
    assert hide_passwords(unclosed * 8_000).count("<hidden>") == 1
    assert time.process_time() - started < 1
