"""Service accounts of the platform have only the rights that they need."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    service_accounts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.security_modes import (
    SecurityError,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import site_users
from site_inventories import site

PIPELINE = {
    "source": {"topic": "payments"},
    "outputs": {
        "fraud": {"topic": "fraudulent_payments"},
        "archive": {"path": "payments"},
    },
    "invalid": "payments_invalid",
}


def test_a_pipeline_reads_its_source_and_writes_its_results():
    found = service_accounts.pipeline_accounts({"payments": PIPELINE})

    assert found == {
        "pipeline-payments": {
            "roles": [
                {"consumer": {"topic": "payments", "group": "kafka-metal-payments*"}},
                {
                    "producer": {
                        "topic": ["fraudulent_payments", "payments_invalid"],
                        "limits": True,
                    }
                },
            ]
        }
    }


def test_a_pipeline_that_only_archives_writes_no_topic():
    only = {"source": {"topic": "payments"}, "outputs": {"archive": {"path": "payments"}}}

    assert service_accounts.pipeline_accounts({"x": only})["pipeline-x"]["roles"] == [
        {"consumer": {"topic": "payments", "group": "kafka-metal-x*"}}
    ]


def test_service_accounts_are_valid_declarations():
    users = service_accounts.all_accounts({"payments": PIPELINE}, "payments", ["payments_invalid"])

    specs = content_specs({"users": users})

    assert set(specs["users"]["users"]) == {"operator", "demo", "pipeline-payments"}


def test_monitoring_account_can_only_write_its_own_topic():
    watch = site_users.all_service_accounts(site())["watch"]

    acls = content_specs({"users": {"watch": watch}})["acls"]["acls"]
    touched = {acl["resource"] for acl in acls if not acl["operation"].startswith("describe")}
    assert touched == {"kafka-metal-probe"}


@pytest.mark.parametrize("name", ["operator", "broker-1", "pipeline-payments", "demo"])
def test_name_of_a_service_account_is_reserved(name):
    platform = service_accounts.all_accounts({"payments": PIPELINE}, "payments", [])

    with pytest.raises(SecurityError, match=f"kafka_content_users.{name}"):
        service_accounts.merge_accounts({name: {}}, platform)


def test_users_of_site_and_service_accounts_are_merged():
    platform = service_accounts.all_accounts({}, "payments", [])

    assert set(service_accounts.merge_accounts({"alice": {}}, platform)) == {
        "alice",
        "operator",
        "demo",
    }


def test_users_have_no_passwords_in_mode_mtls():
    users = service_accounts.merge_accounts(
        {"alice": None, "bob": {"mechanisms": ["SCRAM-SHA-256"]}}, {}, {"mechanisms": []}
    )

    assert users == {"alice": {"mechanisms": []}, "bob": {"mechanisms": ["SCRAM-SHA-256"]}}


def test_transactional_pipeline_can_use_the_marks_topic():
    exact = {
        "source": {"topics": ["a", "b"]},
        "outputs": {"o": {"topic": "c", "delivery": "transactional"}},
        "invalid": "bad",
    }

    assert service_accounts.pipeline_accounts({"x": exact}, "marks")["pipeline-x"]["roles"] == [
        {"consumer": {"topic": ["a", "b"], "group": "kafka-metal-x*"}},
        {
            "producer": {
                "topic": ["c", "bad", "marks"],
                "transactional_id": "kafka-metal-x.*",
                "limits": True,
            }
        },
        {"consumer": {"topic": "marks", "group": "marks"}},
    ]


@pytest.mark.parametrize(
    ("few", "roles"),
    [
        (
            {"use": "archive", "topics": ["a", "b"], "path": "p"},
            [{"consumer": {"topic": ["a", "b"], "group": "kafka-metal-x*"}}],
        ),
        (
            {"use": "copy", "from": {"topic": "a"}, "to": "b"},
            [
                {"consumer": {"topic": "a", "group": "kafka-metal-x*"}},
                {"producer": {"topic": ["b"], "limits": True}},
            ],
        ),
        ({"use": "replay", "from": {"path": "p", "topic": "a"}, "to": "b"},
         [{"producer": {"topic": ["b"], "limits": True}}]),
    ],
)  # fmt: skip
def test_short_pipeline_declaration_has_the_same_rights(few, roles):
    assert service_accounts.pipeline_accounts({"x": few})["pipeline-x"]["roles"] == roles
