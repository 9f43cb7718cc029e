"""A cluster's content as declarations: reading them back plans nothing."""

import random

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.filter.content import declaration_file
from ansible_collections.metal.kafka.plugins.module_utils._common.units import (
    duration_ms,
    size_bytes,
)
from ansible_collections.metal.kafka.plugins.module_utils._content import (
    acls,
    quotas,
    topic_model,
    topics,
    users,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.quotas import Entity
from ansible_collections.metal.kafka.plugins.module_utils._problems.config_values import Value
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.content_export import (
    amount,
    declarations,
    parse_scalar,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)


def planned(state, declared):
    """Return the steps of the four modules from ``state`` to the declarations."""
    specs = content_specs(
        {
            "topics": declared["kafka_content_topics"],
            "defaults": declared["kafka_content_defaults"],
            "name_pattern": declared["kafka_content_name_pattern"],
            "users": declared["kafka_content_users"],
            "acls": declared["kafka_content_acls"],
            "quotas": declared["kafka_content_quotas"],
        }
    )
    current = {
        name: topic_model.Topic(
            name,
            found["partitions"],
            frozenset(found["replicas"]),
            {key: Value(value, kind(key)) for key, value in found["config"].items()},
        )
        for name, found in state["topics"].items()
    }
    there = {
        Entity(**{key: each[key] for key in ("user", "client", "ip") if key in each}): each[
            "values"
        ]
        for each in state["quotas"]
    }
    return [
        *topics.plan_all(current, topics.parse_specs(specs["topics"]["topics"])),
        *users.plan(state["users"], users.parse_specs(specs["users"]), {}).steps,
        *acls.plan(
            {acls.parse_acl(each) for each in state["acls"]}, acls.parse_specs(specs["acls"])
        ),
        *quotas.plan(there, quotas.parse_specs(specs["quotas"])),
    ]


def kind(key):
    return {"cleanup.policy": "LIST", "preallocate": "BOOLEAN", "compression.type": "STRING"}.get(
        key, "LONG"
    )


def acl(principal, kind, resource, operation, **more):
    fields = {"principal": principal, "resource_type": kind, "resource": resource}
    return {**fields, "operation": operation, **more}


STATE = {
    "topics": {
        "payments": {
            "partitions": 6,
            "replicas": [3],
            "config": {
                "retention.ms": "604800000",
                "retention.bytes": "10000000000",
                "cleanup.policy": "compact",
                "min.insync.replicas": "2",
                "preallocate": "true",
                "compression.type": "lz4",
                "segment.bytes": "1048576",
            },
        },
        "uneven.One": {"partitions": 2, "replicas": [2, 3], "config": {"retention.ms": "-1"}},
    },
    "users": {
        "alice": {"SCRAM-SHA-512": 8192},
        "bob": {"SCRAM-SHA-512": 4096, "SCRAM-SHA-256": 4096},
    },
    "acls": [
        acl("User:alice", "topic", "payments", "write"),
        acl("User:alice", "topic", "payments", "describe"),
        acl("User:alice", "topic", "secret", "read", permission="deny"),
        acl("User:CN=app,O=shop", "topic", "pay-", "read", pattern="prefixed"),
        acl("User:CN=app,O=shop", "topic", "pay-", "describe", pattern="prefixed"),
        acl("User:CN=app,O=shop", "group", "g", "read"),
        acl("User:*", "topic", "public", "describe", host="10.0.0.1"),
        acl("Group:x", "cluster", "kafka-cluster", "alter"),
        acl("User:alice", "group", "star*", "read"),
    ],
    "quotas": [
        {"user": "alice", "values": {"producer_byte_rate": 1e7, "request_percentage": 12.5}},
        {"user": "*", "client": "x", "values": {"consumer_byte_rate": 1234567.0}},
        {"ip": "10.0.0.1", "values": {"connection_creation_rate": 5.0}},
    ],
}


def test_export_has_the_form_of_declarations():
    assert declarations(STATE) == {
        "kafka_content_defaults": {},
        "kafka_content_name_pattern": "",
        "kafka_content_topics": {
            "payments": {
                "partitions": 6,
                "replication": 3,
                "retention": "7d",
                "retention_size": "10GB",
                "cleanup": "compact",
                "min_insync": 2,
                "config": {
                    "compression.type": "lz4",
                    "preallocate": True,
                    "segment.bytes": 1048576,
                },
            },
            "uneven.One": {"partitions": 2, "retention": -1},
        },
        "kafka_content_users": {
            "CN=app,O=shop": {
                "mechanisms": [],
                "roles": [{"consumer": {"topic": "pay-*", "group": "g"}}],
            },
            "alice": {
                "roles": [{"producer": "payments"}],
                "quota": {"producer": "10MB", "request_percentage": 12.5},
            },
            "bob": {"mechanisms": ["SCRAM-SHA-512", "SCRAM-SHA-256"], "iterations": 4096},
        },
        "kafka_content_acls": [
            {"principal": "Group:x", "cluster": True, "operations": ["alter"]},
            {
                "principal": "User:*",
                "topic": "public",
                "operations": ["describe"],
                "host": "10.0.0.1",
            },
            {
                "principal": "User:alice",
                "group": "star*",
                "operations": ["read"],
                "pattern": "literal",
            },
            {
                "principal": "User:alice",
                "topic": "secret",
                "operations": ["read"],
                "permission": "deny",
            },
        ],
        "kafka_content_quotas": [
            {"user": "*", "client": "x", "consumer": 1234567},
            {"ip": "10.0.0.1", "connections": 5},
        ],
        "notes": [],
    }


def test_exported_declarations_change_nothing():
    text = yaml.safe_dump(declarations(STATE))
    assert planned(STATE, yaml.safe_load(text)) == []


@pytest.mark.parametrize(
    ("state", "note"),
    [
        (
            {"topics": {"a": {"partitions": 1, "replicas": [1], "config": {MIN: "2"}}}},
            "topic a is not declared: kafka_content_topics.a.min_insync: found 2; allowed: 1 to 1",
        )
        for MIN in ("min.insync.replicas",)
    ]
    + [
        (
            {"users": {"a": {"SCRAM-SHA-512": 4096, "SCRAM-SHA-256": 8192}}},
            "user a is not declared",
        ),
        (
            {"users": {"a b": {"SCRAM-SHA-512": 4096}}},
            "user a b is not declared: kafka_content_use",
        ),
        ({"users": {"a": {"SCRAM-SHA-512": 20000}}}, "user a is not declared: kafka_content_users"),
        (
            {"quotas": [{"user": "a", "values": {"odd": 1.0}}]},
            "the quota of user a is not declared",
        ),
        (
            {"acls": [acl("User:a", "topic", "b", "read", host="nowhere")]},
            "an ACL of User:a is not",
        ),
    ],
)
def test_undeclarable_content_is_noted(state, note):
    state = {"topics": {}, "users": {}, "acls": [], "quotas": [], **state}
    found = declarations(state)
    assert note in found["notes"][0]
    assert planned(state, found) == []


def test_service_accounts_are_left_out():
    state = {
        "topics": {},
        "users": {name: {"SCRAM-SHA-512": 8192} for name in ("watch", "watcher")},
        "acls": [acl(f"User:{name}", "topic", "b", "read") for name in ("watch", "watcher")],
        "quotas": [
            {"user": name, "values": {"producer_byte_rate": 1e6}} for name in ("watch", "watcher")
        ],
    }

    found = declarations(state, ["watch"])

    assert set(found["kafka_content_users"]) == {"watcher"}
    assert "User:watch'" not in str(found)
    assert found["notes"] == []
    assert found["kafka_content_quotas"] == []


CONFIG = {
    "retention.ms": ["-1", "0", "1", "500", "3600000", "604800000", "86400001"],
    "retention.bytes": ["-1", "1", "1000", "1024", "10000000000"],
    "cleanup.policy": ["delete", "compact", "compact,delete", "delete,compact"],
    "min.insync.replicas": ["1", "2"],
    "preallocate": ["true", "false"],
    "compression.type": ["lz4", "producer"],
    "segment.ms": ["10", "007"],
}


PATTERNS, BOTH = ["literal", "prefixed"], ["allow", "deny"]


def random_state(chance):
    def some(choices, most=4):
        return chance.sample(choices, chance.randrange(min(most, len(choices)) + 1))

    names = [f"t{number}" for number in range(5)] + ["Big.Topic"]
    principals = [f"User:{name}" for name in ("alice", "bob", "CN=x,O=y", "*", "a b")]
    return {
        "topics": {
            name: {
                "partitions": chance.randrange(1, 9),
                "replicas": chance.choice([[1], [2], [3], [2, 3]]),
                "config": {key: chance.choice(CONFIG[key]) for key in some(list(CONFIG))},
            }
            for name in some(names)
        },
        "users": {
            name: {
                mechanism: chance.choice([4096, 8192])
                for mechanism in chance.choice(
                    [["SCRAM-SHA-512"], ["SCRAM-SHA-256"], ["SCRAM-SHA-512", "SCRAM-SHA-256"]]
                )
            }
            for name in some(["alice", "bob", "carol", "not ours"])
        },
        "acls": list(
            {
                (p, k, r, o, pattern, host, permission): acl(
                    p, k, r, o, pattern=pattern, host=host, permission=permission
                )
                for p in some(principals)
                for k, o in some(
                    [(k, o) for k in ("topic", "group", "cluster") for o in acls.OPERATIONS[k]], 12
                )
                for r in (["kafka-cluster"] if k == "cluster" else some(["a", "b-", "*", "s*"]))
                for pattern in (["literal"] if k == "cluster" else PATTERNS[: len(r)])
                for host in some(["*", "10.0.0.1"])
                for permission in chance.choice([["allow"], ["allow"], ["deny"], BOTH])
            }.values()
        ),
        "quotas": [
            {**names_of, "values": {key: chance.choice([1.0, 1e7, 1048576.0, 1500.0])}}
            for names_of in some(
                [{"user": "alice"}, {"user": "*"}, {"client": "x"}, {"user": "dave", "client": "*"}]
            )
            for key in [chance.choice(["producer_byte_rate", "request_percentage"])]
        ],
    }


def test_export_of_any_cluster_plans_no_changes():
    chance = random.Random(7)
    count = 0
    for _ in range(200):
        state = random_state(chance)
        found = declarations(state)
        assert planned(state, found) == []
        count += sum(len(found[f"kafka_content_{each}"]) for each in ("topics", "users", "acls"))
    assert count > 1000


@pytest.mark.parametrize("number", [-1, 0, 1, 999, 1000, 1024, 60_000, 86_400_000, 10**10])
def test_an_amount_is_read_back_as_the_same_number(number):
    assert duration_ms(amount(number, {"d": 86_400_000, "m": 60_000}, "ms")) == number
    assert size_bytes(amount(number, {"MB": 10**6, "KiB": 1024}, "")) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("true", True), ("7", 7), ("-1", -1), ("007", "007"), ("-", "-"), ("x", "x")],
        *[("²", "²"), ("--5", "--5"), ("٣", "٣"), ("9" * 5000, "9" * 5000)],
    ],
)
def test_text_becomes_the_value_with_the_same_text(text, value):
    assert parse_scalar(text) == value


def test_file_has_declarations_and_notes_as_comments():
    declared = {"kafka_content_topics": {"b": {}, "a": {}}, "notes": ["no authorizer: no ACLs"]}

    text = declaration_file(declared)

    assert text.startswith("---\n# no authorizer: no ACLs\n")
    assert yaml.safe_load(text) == {"kafka_content_topics": {"b": {}, "a": {}}}
    assert text.index("b:") < text.index("a:")
