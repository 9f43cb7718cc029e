"""Values of client options that no message contains, and values as messages have them."""

import pytest
from kafka_metal_declarations.printable_values import LONGEST, printable_value

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
