"""Programs of the platform are users that may do their own work and nothing else."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    service_accounts as programs,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.security_modes import (
    SecurityError,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import people
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
    found = programs.of_pipelines({"payments": PIPELINE})

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

    assert programs.of_pipelines({"x": only})["pipeline-x"]["roles"] == [
        {"consumer": {"topic": "payments", "group": "kafka-metal-x*"}}
    ]


def test_what_is_declared_for_programs_is_what_sites_may_declare():
    users = programs.programs({"payments": PIPELINE}, "payments", ["payments_invalid"])

    specs = content_specs({"users": users})

    assert set(specs["users"]["users"]) == {"operator", "demo", "pipeline-payments"}


def test_what_watches_sees_everything_and_writes_its_own_topic_alone():
    watch = people.programs(site())["watch"]

    acls = content_specs({"users": {"watch": watch}})["acls"]["acls"]
    touched = {acl["resource"] for acl in acls if not acl["operation"].startswith("describe")}
    assert touched == {"kafka-metal-probe"}


@pytest.mark.parametrize("name", ["operator", "broker-1", "pipeline-payments", "demo"])
def test_a_site_cannot_take_the_name_of_a_program(name):
    ours = programs.programs({"payments": PIPELINE}, "payments", [])

    with pytest.raises(SecurityError, match=f"kafka_content_users.{name}"):
        programs.together({name: {}}, ours)


def test_users_of_the_site_stand_beside_ours():
    ours = programs.programs({}, "payments", [])

    assert set(programs.together({"alice": {}}, ours)) == {"alice", "operator", "demo"}


def test_where_everybody_shows_a_certificate_nobody_of_the_site_has_a_password_either():
    users = programs.together(
        {"alice": None, "bob": {"mechanisms": ["SCRAM-SHA-256"]}}, {}, {"mechanisms": []}
    )

    assert users == {"alice": {"mechanisms": []}, "bob": {"mechanisms": ["SCRAM-SHA-256"]}}


def test_a_pipeline_that_writes_in_transactions_may_mark_them():
    exact = {
        "source": {"topics": ["a", "b"]},
        "outputs": {"o": {"topic": "c", "delivery": "transactional"}},
        "invalid": "bad",
    }

    assert programs.of_pipelines({"x": exact}, "marks")["pipeline-x"]["roles"] == [
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
def test_a_pipeline_of_few_words_has_the_rights_of_its_many(few, roles):
    assert programs.of_pipelines({"x": few})["pipeline-x"]["roles"] == roles
