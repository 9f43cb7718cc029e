"""Roles are converted to exactly their operations, and ACLs back to roles."""

import random

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content.acls import Acl
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declaration_reader import (
    Reader,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.role_folding import (
    fold_into_roles,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.roles import read_role

ALICE = "User:alice"


def acls(*roles, principal=ALICE):
    reader = Reader()
    found = set()
    for role in roles:
        found |= read_role(reader, "roles", principal, role)
    assert reader.faults == []
    return found


def short(found):
    """Type, name and operation of ACLs; a star marks a prefix."""
    return {
        (acl.resource_type, acl.resource + "*" * (acl.pattern == "prefixed"), acl.operation)
        for acl in found
    }


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ({"producer": "a"}, {("topic", "a", "write"), ("topic", "a", "describe")}),
        (
            {"producer": {"topic": ["a", "b-*"], "create": True}},
            {
                ("topic", "a", "write"),
                ("topic", "a", "describe"),
                ("topic", "a", "create"),
                ("topic", "b-*", "write"),
                ("topic", "b-*", "describe"),
                ("topic", "b-*", "create"),
            },
        ),
        (
            {"producer": {"topic": "a", "limits": True}},
            {
                ("topic", "a", "write"),
                ("topic", "a", "describe"),
                ("topic", "a", "describe_configs"),
            },
        ),
        (
            {"producer": {"topic": "a", "transactional_id": "tx-*", "idempotent": True}},
            {
                ("topic", "a", "write"),
                ("topic", "a", "describe"),
                ("transactional_id", "tx-*", "write"),
                ("transactional_id", "tx-*", "describe"),
                ("cluster", "kafka-cluster", "idempotent_write"),
            },
        ),
        (
            {"consumer": {"topic": "a", "group": "g"}},
            {("topic", "a", "read"), ("topic", "a", "describe"), ("group", "g", "read")},
        ),
        (
            {"streams": {"application": "app", "input": "in", "output": ["out"]}},
            {
                ("topic", "in", "read"),
                ("topic", "in", "describe"),
                ("topic", "out", "write"),
                ("topic", "out", "describe"),
                ("topic", "app-*", "read"),
                ("topic", "app-*", "write"),
                ("topic", "app-*", "create"),
                ("topic", "app-*", "delete"),
                ("topic", "app-*", "describe"),
                ("topic", "app-*", "describe_configs"),
                ("group", "app", "read"),
                ("group", "app", "describe"),
            },
        ),
        (
            {"observer": {"topic": "*", "group": "g"}},
            {
                ("topic", "*", "describe"),
                ("topic", "*", "describe_configs"),
                ("group", "g", "describe"),
                ("cluster", "kafka-cluster", "describe"),
                ("cluster", "kafka-cluster", "describe_configs"),
            },
        ),
        (
            {"admin": "a-*"},
            {
                ("topic", "a-*", "create"),
                ("topic", "a-*", "delete"),
                ("topic", "a-*", "alter"),
                ("topic", "a-*", "alter_configs"),
                ("topic", "a-*", "describe"),
                ("topic", "a-*", "describe_configs"),
            },
        ),
        (
            {"admin": {"cluster": True}},
            {
                ("cluster", "kafka-cluster", "all"),
                ("topic", "*", "all"),
                ("group", "*", "all"),
                ("transactional_id", "*", "all"),
            },
        ),
    ],
)
def test_a_role_has_exactly_its_operations(role, expected):
    found = acls(role)
    assert short(found) == expected
    assert {(acl.principal, acl.host, acl.permission) for acl in found} == {(ALICE, "*", "allow")}


def test_exactly_once_streams_have_transactional_ids():
    plain = acls({"streams": "app"})
    exact = acls({"streams": {"application": "app", "exactly_once": True}})
    assert short(exact - plain) == {
        ("transactional_id", "app-*", "write"),
        ("transactional_id", "app-*", "describe"),
    }


def test_an_option_that_is_off_has_no_operations():
    assert acls({"producer": {"topic": "a", "create": False}}) == acls({"producer": "a"})


def test_a_role_may_be_limited_to_an_address():
    found = acls({"consumer": {"topic": "a", "group": "g", "host": "10.0.0.1"}})
    assert {acl.host for acl in found} == {"10.0.0.1"}


ROLES = [
    {"producer": "a"},
    {"producer": ["a", "b"]},
    {"producer": {"topic": "a", "transactional_id": "tx-*"}},
    {"producer": {"topic": "a", "idempotent": True}},
    {"producer": {"topic": "a", "limits": True}},
    {"producer": {"topic": "a", "host": "10.0.0.1"}},
    {"consumer": {"topic": "a", "group": "g"}},
    {"consumer": {"topic": ["a", "b-*"], "group": ["g", "h-*"]}},
    {"consumer": {"topic": "*", "group": "*"}},
    {"streams": "app"},
    {"streams": {"application": "app", "exactly_once": True}},
    {"observer": "a"},
    {"observer": {"topic": "*", "group": "*"}},
    {"admin": "a-*"},
    {"admin": {"cluster": True}},
]


@pytest.mark.parametrize("role", ROLES)
def test_acls_of_a_role_are_folded_to_the_role(role):
    assert fold_into_roles(ALICE, acls(role)) == ([role], [])


def test_acls_of_no_role_remain():
    odd = Acl(ALICE, "topic", "a", "alter")
    denied = Acl(ALICE, "topic", "a", "read", permission="deny")
    incomplete = Acl(ALICE, "group", "g", "read")
    found = fold_into_roles(ALICE, acls({"producer": "a"}) | {odd, denied, incomplete})
    assert found == ([{"producer": "a"}], sorted([odd, denied, incomplete]))


def test_acls_with_invalid_names_remain():
    invalid = {Acl(ALICE, "topic", "a b", operation) for operation in ("write", "describe")}
    assert fold_into_roles(ALICE, invalid) == ([], sorted(invalid))


def test_folding_keeps_every_set_of_acls():
    chance = random.Random(20)
    all_acls = sorted(acls(*ROLES)) + [
        Acl(ALICE, kind, name, operation, pattern, permission, host)
        for kind, name in (("topic", "c"), ("group", "g"))
        for operation in ("read", "describe", "all")
        for pattern in ("literal", "prefixed")
        for permission in ("allow", "deny")
        for host in ("*", "10.0.0.1")
    ]
    for _ in range(300):
        sample = set(chance.sample(all_acls, chance.randrange(len(all_acls))))
        roles, rest = fold_into_roles(ALICE, sample)
        assert acls(*roles) | set(rest) == sample
