"""Declarations of a cluster's content: what they become, and what is refused."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declaration_reader import (
    DeclarationError,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)


def user(**declared):
    return {"users": {"alice": declared}}


def role(**declared):
    return user(roles=[declared])


def acl(**fields):
    given = {"principal": "User:alice", "topic": "payments", "operations": ["read"], **fields}
    return {"acls": [{key: value for key, value in given.items() if value is not ...}]}


def quota(**fields):
    return {"quotas": [fields]}


def topic(**declared):
    return {"topics": {"payments": declared}}


def gone(**kinds):
    return {"absent": kinds}


# Declared content, and a part of each expected message.
BAD = [
    # -- users
    ({"users": ["alice"]}, ["kafka_content_users: found a list; allowed: a mapping by name"]),
    ({"users": {"alice": "bob"}}, ["kafka_content_users.alice: found 'bob'; allowed: a mapping"]),
    ({"users": {"al ice": {}}}, ["kafka_content_users.al ice: found the name 'al ice'"]),
    ({"users": {"-a": {}}}, ["the name '-a'; allowed: 1 to 128 letters, digits"]),
    ({"users": {"ANONYMOUS": {}}}, ["kafka_content_users.ANONYMOUS: found the name 'ANONYMOUS'"]),
    ({"users": {"a*": {"mechanisms": []}}}, ["the name 'a*'; allowed: a name without '*'"]),
    (user(password="some-secret"), [".alice.password: found an unknown key; allowed: no password"]),
    (user(role=[]), [".alice.role: found an unknown key; allowed: roles (did you mean that?)"]),
    (user(acls=[]), [".alice.acls: found an unknown key; allowed: roles here, or single ACLs"]),
    (user(iterations=1000), [".alice.iterations: found 1000; allowed: 4096 to 16384"]),
    (user(iterations="many"), [".alice.iterations: found 'many'; allowed: a whole number from 40"]),
    (user(iterations=True), [".alice.iterations: found True; allowed: a whole number"]),
    (
        user(mechanisms=["SCRAM-SHA-521"]),
        [".mechanisms[0]: found 'SCRAM-SHA-521'; allowed: SCRAM-"],
    ),
    (user(mechanisms="PLAIN"), [".alice.mechanisms: found 'PLAIN'; allowed: a list"]),
    (user(mechanisms=[], iterations=8192), [".iterations: found a number; allowed: nothing"]),
    # -- roles
    (user(roles={"producer": "a"}), ["kafka_content_users.alice.roles: found a mapping; allowed"]),
    (user(roles=["producer"]), [".alice.roles[0]: found 'producer'; allowed: a mapping with one"]),
    (
        role(producr="a"),
        [".roles[0]: found 'producr'; allowed: producer (did you mean that?), one"],
    ),
    (user(roles=[{}]), [".alice.roles[0]: found 0 keys; allowed: a mapping with one role"]),
    (role(producer="a", consumer="b"), [".alice.roles[0]: found 2 keys; allowed: a mapping with"]),
    (role(producer=None), [".roles[0].producer: found nothing; allowed: a mapping with keys of t"]),
    (role(producer=[]), [".roles[0].producer.topic: found an empty list; allowed: at least one"]),
    (role(producer={}), [".roles[0].producer.topic: found nothing; allowed: a value: it is req"]),
    (role(producer="pay ments"), [".producer.topic: found 'pay ments'; allowed: 1 to 249 letters"]),
    (role(producer="a*b"), [".roles[0].producer.topic: found 'a*b'; allowed: 1 to 249 letters"]),
    (
        role(producer={"topics": "a"}),
        [".producer.topics: found an unknown key; allowed: topic (did"],
    ),
    (
        role(producer={"topic": "a", "idempotent": "yes"}),
        [".roles[0].producer.idempotent: found 'yes'; allowed: true or false"],
    ),
    (
        role(producer={"topic": ["a", 5.5]}),
        ["kafka_content_users.alice.roles[0].producer.topic[1]: found 5.5; allowed: 1 to 249"],
    ),
    (role(consumer="a"), [".consumer: found 'a'; allowed: a mapping with keys of topic, group, l"]),
    (role(consumer={"topic": "a"}), [".roles[0].consumer.group: found nothing; allowed: a value"]),
    (
        role(consumer={"topic": "a", "group": "g", "host": "app1.example"}),
        [".roles[0].consumer.host: found 'app1.example'; allowed: one IP address, or '*' for any"],
    ),
    (
        role(consumer={"topic": "a", "group": "g", "host": "10.0.0.0/8"}),
        [".consumer.host: found '10.0.0.0/8'; allowed: one IP address"],
    ),
    (role(streams={"input": "a"}), [".roles[0].streams.application: found nothing; allowed: a v"]),
    (role(streams="app-*"), [".streams.application: found 'app-*'; allowed: letters, digits"]),
    (role(admin={}), [".roles[0].admin: found neither topic nor cluster; allowed: one of them"]),
    (role(admin=True), [".roles[0].admin: found True; allowed: a mapping with keys of topic, cl"]),
    # -- ACLs
    ({"acls": {}}, ["kafka_content_acls: found a mapping; allowed: a list"]),
    ({"acls": ["read"]}, ["kafka_content_acls[0]: found 'read'; allowed: a mapping with keys of"]),
    (acl(principal="alice"), [".principal: found 'alice'; allowed: a type and a name, such as Us"]),
    (acl(principal=...), ["kafka_content_acls[0].principal: found nothing; allowed: a value: it"]),
    (acl(operations=["raed"]), [".operations[0]: found 'raed'; allowed: read (did you mean that"]),
    (
        acl(operations="idempotent_write"),
        [".operations: found 'idempotent_write'; allowed: one of"],
    ),
    (acl(operations=[]), ["kafka_content_acls[0].operations: found an empty list; allowed: at"]),
    (acl(topic=...), ["kafka_content_acls[0]: found no resource; allowed: one of topic, group"]),
    (acl(group="g"), ["kafka_content_acls[0]: found topic and group; allowed: one of topic"]),
    (acl(permission="alow"), [".permission: found 'alow'; allowed: allow (did you mean that?)"]),
    (acl(host="localhost"), ["kafka_content_acls[0].host: found 'localhost'; allowed: one IP"]),
    (acl(pattern="match"), ["kafka_content_acls[0].pattern: found 'match'; allowed: one of lit"]),
    (acl(topic="a/b"), ["kafka_content_acls[0].topic: found 'a/b'; allowed: 1 to 249 letters"]),
    (acl(topic=..., cluster=False), ["kafka_content_acls[0].cluster: found false; allowed: true"]),
    (acl(opration="read"), [".opration: found an unknown key; allowed: operations (did you"]),
    (
        {"acls": [*acl()["acls"], *acl(permission="deny")["acls"]]},
        ["kafka_content_acls: found both User:alice may read topic payments and User:alice must"],
    ),
    # -- quotas
    ({"quotas": {"alice": {}}}, ["kafka_content_quotas: found a mapping; allowed: a list"]),
    (quota(producer="10MB"), ["kafka_content_quotas[0]: found neither user nor client nor ip"]),
    (quota(user="a"), ["kafka_content_quotas[0]: found no value; allowed: at least one of prod"]),
    (quota(user="default", producer=1), [".user: found 'default'; allowed: a name, or '*'"]),
    (quota(user="a", producer="10 apples"), [".producer: found '10 apples'; allowed: bytes per"]),
    (quota(user="a", producer=0), ["kafka_content_quotas[0].producer: found 0; allowed: bytes"]),
    (quota(user="a", producer=-1), ["kafka_content_quotas[0].producer: found -1; allowed: bytes"]),
    (quota(user="a", consumer=True), ["[0].consumer: found True; allowed: bytes per second"]),
    (quota(user="a", request_percentage="half"), [".request_percentage: found 'half'; allowed: a"]),
    (quota(user="a", prodcer="1MB"), [".prodcer: found an unknown key; allowed: producer (did"]),
    (
        quota(user="a", connections=5),
        [".connections: found an unknown key; allowed: one of"],
    ),
    (quota(ip="10.0.0.300", connections=5), [".ip: found '10.0.0.300'; allowed: one IP address"]),
    (quota(ip="10.0.0.3", connections=0.5), [".connections: found 0.5; allowed: a whole number"]),
    (quota(ip="10.0.0.3", user="a", producer=1), ["[0]: found user and ip; allowed: user, client"]),
    (
        {"quotas": [{"user": "a", "producer": 1}, {"user": "a", "consumer": 1}]},
        ["kafka_content_quotas[1]: found a second quota of user a; allowed: one for each"],
    ),
    (
        {**user(quota={"producer": 1}), **quota(user="alice", producer=2)},
        ["kafka_content_quotas[0]: found a second quota of user alice; allowed: one for each"],
    ),
    (user(quota="10MB"), [".alice.quota: found '10MB'; allowed: a mapping with keys of producer"]),
    # -- topics
    ({"topics": []}, ["kafka_content_topics: found a list; allowed: a mapping by name"]),
    (topic(partition=3), [".payments.partition: found an unknown key; allowed: partitions (did"]),
    (
        topic(partitions="six"),
        [".payments.partitions: found 'six'; allowed: a whole number from 1"],
    ),
    (topic(partitions=-1), [".payments.partitions: found -1; allowed: a whole number from 1"]),
    (topic(retention="1y"), [".payments.retention: found '1y'; allowed: a duration such as 7d"]),
    (topic(config=[]), ["kafka_content_topics.payments.config: found a list; allowed: a mapping"]),
    (topic(replication=1, min_insync=2), [".payments.min_insync: found 2; allowed: 1 to 1"]),
    (
        topic(config={"segment.ms": {}}),
        [".config.segment.ms: found a mapping; allowed: text, a nu"],
    ),
    ({**topic(), "name_pattern": "[a"}, ["kafka_content_name_pattern: found '[a' (unterminated"]),
    (
        {"topics": {"__offsets": {}}},
        [".__offsets: found the name '__offsets'; allowed: names that"],
    ),
    ({"topics": {"a.b": {}, "a_b": {}}}, [".a_b: found a name that collides with a.b"]),
    # -- absent resources
    ({"absent": ["alice"]}, ["kafka_content_absent: found a list; allowed: a mapping with keys"]),
    (gone(topic=["a"]), ["kafka_content_absent.topic: found an unknown key; allowed: topics (did"]),
    (gone(topics="a"), ["kafka_content_absent.topics: found 'a'; allowed: a list"]),
    (gone(topics=["a*"]), [".topics[0]: found 'a*'; allowed: a single name, without '*'"]),
    (gone(topics=["__consumer_offsets"]), [".topics[0]: found '__consumer_offsets'; allowed: top"]),
    (
        {**topic(), **gone(topics=["payments"])},
        [".topics[0]: found 'payments'; allowed: names that"],
    ),
    (
        {**user(), **gone(users=["alice"])},
        [".users[0]: found 'alice'; allowed: names that are not"],
    ),
    ({**acl(), **gone(acls=acl()["acls"])}, [".acls[0]: found User:alice may read topic payments"]),
    (
        gone(acls=[{"user": "a", "roles": [{"consumr": {}}]}]),
        [".acls[0].roles[0]: found 'consumr'"],
    ),
    (
        {**acl(), **gone(users=["alice"])},
        [
            "kafka_content_absent.users: found User:alice, for which "
            "kafka_content_acls has: User:alice"
        ],
    ),
    (
        {**quota(user="a", producer=1), **gone(quotas=[{"user": "a"}])},
        ["kafka_content_absent.quotas[0]: found producer_byte_rate of user a; allowed: quotas"],
    ),
    (
        gone(quotas=[{"user": "a", "producer": 1}]),
        [".quotas[0].producer: found a value; allowed: k"],
    ),
    (gone(quotas=[{"user": "a", "keys": ["prod"]}]), [".quotas[0].keys[0]: found 'prod'; allowed"]),
    (
        {**gone(topics=["payments"]), "confirm_delete": ["paymnets"]},
        ["confirm_delete[0]: found 'paymnets'; allowed: payments (did you mean that?), names"],
    ),
    (
        {"user": {}},
        ["kafka_content.user: found an unknown key; allowed: users (did you mean that?)"],
    ),
]


def test_table_of_faults_is_large():
    assert len(BAD) >= 60


@pytest.mark.parametrize(("declared", "messages"), BAD)
def test_invalid_declaration_is_refused_with_path_value_and_allowed(declared, messages):
    with pytest.raises(DeclarationError) as refusal:
        content_specs(declared)
    assert len(refusal.value.messages) == len(messages)
    for found, part in zip(refusal.value.messages, messages, strict=True):
        assert part in found
        assert found.startswith("kafka_content")
        assert "; allowed: " in found


def test_all_faults_are_reported_at_once():
    with pytest.raises(DeclarationError) as refusal:
        content_specs(
            {
                **topic(partitions=0),
                "users": {"alice": {"roles": [{"producr": "a"}], "iterations": 1}, "b b": {}},
                **quota(user="x"),
                **acl(operations="raed"),
                **gone(topics=["__x"]),
            }
        )
    assert [fault.where for fault in refusal.value.faults] == [
        "kafka_content_topics.payments.partitions",
        "kafka_content_users.alice.iterations",
        "kafka_content_users.alice.roles[0]",
        "kafka_content_users.b b",
        "kafka_content_acls[0].operations",
        "kafka_content_quotas[0]",
        "kafka_content_absent.topics[0]",
    ]


def test_messages_contain_no_password():
    with pytest.raises(DeclarationError) as refusal:
        content_specs(user(password="hunter2-hunter2"))
    assert "hunter2" not in str(refusal.value)


def test_empty_declarations_give_empty_specs():
    assert content_specs({"users": None, "absent": None, "topics": {}}) == {
        "topics": {"topics": {}, "absent": [], "confirm_delete": []},
        "users": {"users": {}, "absent": []},
        "acls": {"acls": [], "absent": [], "absent_principals": []},
        "quotas": {"quotas": [], "absent": [], "absent_users": []},
    }


def test_users_have_mechanisms_and_iterations_unless_they_use_certificates():
    declared = {
        "alice": None,
        "bob": {"mechanisms": ["scram-sha-256", "SCRAM-SHA-512"], "iterations": "16384"},
        "CN=app,O=shop": {"mechanisms": [], "roles": [{"producer": "payments"}]},
    }
    assert content_specs({"users": declared, "absent": {"users": ["mallory"]}})["users"] == {
        "users": {
            "alice": {"mechanisms": ["SCRAM-SHA-512"]},
            "bob": {"mechanisms": ["SCRAM-SHA-256", "SCRAM-SHA-512"], "iterations": 16384},
        },
        "absent": ["mallory"],
    }
    principals = {each["principal"] for each in content_specs({"users": declared})["acls"]["acls"]}
    assert principals == {"User:CN=app,O=shop"}


def test_keys_of_quotas_become_kafkas_keys():
    specs = content_specs(
        {
            "users": {"alice": {"quota": {"producer": "10MB", "request_percentage": "12.5%"}}},
            "quotas": [
                {"user": "*", "client": "*", "consumer": "1MiB/s"},
                {"ip": "*", "connections": 20},
                {"client": "loader", "controller_mutations": 0.5},
            ],
            "absent": {
                "users": ["mallory"],
                "quotas": [{"client": "old"}, {"user": "x", "keys": ["producer"]}],
            },
        }
    )["quotas"]
    assert specs == {
        "quotas": [
            {"ip": "*", "values": {"connection_creation_rate": 20.0}},
            {"client": "loader", "values": {"controller_mutation_rate": 0.5}},
            {"user": "*", "client": "*", "values": {"consumer_byte_rate": 1048576.0}},
            {
                "user": "alice",
                "values": {"producer_byte_rate": 1e7, "request_percentage": 12.5},
            },
        ],
        "absent": [
            {"client": "old", "keys": []},
            {"user": "x", "keys": ["producer_byte_rate"]},
        ],
        "absent_users": ["mallory"],
    }


def test_absent_roles_keep_acls_of_declared_roles():
    reader = {"consumer": {"topic": "payments", "group": "g"}}
    specs = content_specs(
        {
            "users": {"alice": {"roles": [{"producer": "payments"}]}},
            "absent": {"acls": [{"user": "alice", "roles": [reader]}]},
        }
    )["acls"]
    assert [(each["resource"], each["operation"]) for each in specs["absent"]] == [
        ("g", "read"),
        ("payments", "read"),
    ]


def test_single_acls_reach_every_kind_of_resource():
    items = [
        {"principal": "User:*", "operations": "describe", "topic": "*"},
        {"principal": "User:a", "operations": ["READ"], "group": "reports-*"},
        {"principal": "User:a", "operations": "all", "cluster": True, "host": "10.0.0.1"},
        {"principal": "User:a", "operations": "write", "transactional_id": "tx"},
        {"principal": "User:a", "operations": "describe", "delegation_token": "t"},
        {"principal": "User:a", "operations": "create_tokens", "user": "User:b"},
        {"principal": "User:a", "operations": "read", "group": "star*", "pattern": "literal"},
    ]
    found = {
        (each["resource_type"], each["resource"], each["pattern"], each["operation"], each["host"])
        for each in content_specs({"acls": items})["acls"]["acls"]
    }
    assert found == {
        ("topic", "*", "literal", "describe", "*"),
        ("group", "reports-", "prefixed", "read", "*"),
        ("cluster", "kafka-cluster", "literal", "all", "10.0.0.1"),
        ("transactional_id", "tx", "literal", "write", "*"),
        ("delegation_token", "t", "literal", "describe", "*"),
        ("user", "User:b", "literal", "create_tokens", "*"),
        ("group", "star*", "literal", "read", "*"),
    }
