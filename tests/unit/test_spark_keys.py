"""A new secret restarts all Spark components in one run: they must share their secrets."""

import re

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._site import spark_secrets
from ansible_collections.metal.kafka.plugins.plugin_utils._site.host_secrets import Host

FACTS = {
    "security.service_account_mode": "tls_scram",
    "spark.recovery_servers": ["z1:2181"],
    "users.secret_prefix": "password:",
}
COMPONENTS = ("master", "worker", "history", "driver")


def keys_id(component: str, **secrets: str) -> str:
    """Return the digest of a component's keys, on a site with ``secrets``."""
    variables = {"spark_component": component, "spark_master_name": "spark-master1"}
    host = Host(
        FACTS.__getitem__,
        lambda term: secrets.get(term.replace(":", "_").replace("-", "_"), f"old {term}"),
        lambda term: "",
        lambda name, default: variables.get(name, default),
        lambda host, name: None,
    )
    return (
        spark_secrets.pipeline_keys_digest(host)
        if component == "driver"
        else spark_secrets.spark_keys_digest(host)
    )


@pytest.mark.parametrize("component", COMPONENTS)
def test_new_secret_restarts_all_components(component: str):
    assert keys_id(component, password_spark_rpc="new") != keys_id(component)
    assert keys_id(component, password_spark_pages="new") != keys_id(component)


def test_new_zookeeper_key_restarts_only_masters():
    new = {"keypair_spark_master1_ensemble": "new"}
    assert [
        component for component in COMPONENTS if keys_id(component, **new) != keys_id(component)
    ] == ["master"]


@pytest.mark.parametrize("component", COMPONENTS)
def test_secret_is_not_in_the_digest(component: str):
    assert re.fullmatch(r"[0-9a-f]{12}", keys_id(component))
