"""Values of client options that no message contains."""

import pytest
from kafka_metal_declarations.option_names import printable_value

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
