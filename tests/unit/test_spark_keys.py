"""With another secret every part of Spark restarts in the same run: none would know the rest."""

import re

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._site import spark_secrets
from ansible_collections.metal.kafka.plugins.plugin_utils._site.host_secrets import Host

FACTS = {
    "security.own_mode": "tls_scram",
    "spark.recovery_servers": ["z1:2181"],
    "people.client_secret": "password:",
}
PARTS = ("master", "worker", "history", "driver")


def keys_id(part: str, **secrets: str) -> str:
    """What stands for the keys of a part, on a site whose store has other ``secrets``."""
    variables = {"spark_component": part, "spark_master_name": "spark-master1"}
    host = Host(
        FACTS.__getitem__,
        lambda term: secrets.get(term.replace(":", "_").replace("-", "_"), f"old {term}"),
        lambda term: "",
        lambda name, default: variables.get(name, default),
        lambda host, name: None,
    )
    return (
        spark_secrets.pipeline_keys_id(host)
        if part == "driver"
        else spark_secrets.spark_keys_id(host)
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_new_secret_restarts_masters_workers_the_history_and_drivers(part: str):
    assert keys_id(part, password_spark_rpc="new") != keys_id(part)
    assert keys_id(part, password_spark_pages="new") != keys_id(part)


def test_new_ensemble_key_restarts_only_masters():
    new = {"keypair_spark_master1_ensemble": "new"}
    assert [part for part in PARTS if keys_id(part, **new) != keys_id(part)] == ["master"]


@pytest.mark.parametrize("part", PARTS)
def test_secret_is_not_in_the_digest(part: str):
    assert re.fullmatch(r"[0-9a-f]{12}", keys_id(part))
