"""Plans of ACL changes, and recovery from failed runs."""

import time
from itertools import pairwise

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content.acls import (
    Acl,
    AclError,
    Grant,
    Revoke,
    Specs,
    acl_fields,
    converge,
    difference,
    parse_specs,
    plan,
    split_into_requests,
)

READ = Acl("User:alice", "topic", "payments", "read")
WRITE = Acl("User:alice", "topic", "payments", "write")
OTHER = Acl("User:bob", "topic", "payments", "read")


def specs(acls=(), absent=(), principals=()):
    return Specs(frozenset(acls), frozenset(absent), frozenset(principals))


@pytest.mark.parametrize(
    ("current", "desired", "steps"),
    [
        ([], specs([READ]), [Grant(READ)]),
        ([READ], specs([READ]), []),
        ([READ, OTHER], specs(), []),
        ([READ], specs(absent=[READ, WRITE]), [Revoke(READ)]),
        ([READ], specs([WRITE], [READ]), [Grant(WRITE), Revoke(READ)]),
        ([READ, WRITE, OTHER], specs(principals=["User:alice"]), [Revoke(READ), Revoke(WRITE)]),
    ],
)
def test_plan_has_the_steps_to_the_desired_state(current, desired, steps):
    assert plan(current, desired) == steps


def test_specs_are_read_from_fields():
    prefixed = Acl("User:a", "group", "g", "describe", "prefixed", "deny", "10.0.0.1")
    found = parse_specs({"acls": [acl_fields(prefixed)], "absent": [acl_fields(READ)]})
    assert found == specs([prefixed], [READ])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"acls": [acl_fields(READ) | {"operation": "raed"}]},
            "unknown operation of a topic; allowed: read, wri",
        ),
        (
            {"acls": [acl_fields(READ) | {"resource_type": "file"}]},
            "unknown resource type; allowed: top",
        ),
        ({"acls": [acl_fields(READ) | {"resource": "a/b"}]}, "no ACL for a name with a slash"),
        (
            {"acls": [acl_fields(READ) | {"principal": "alice"}]},
            "'alice' is not a principal; did you mean User:al",
        ),
        ({"acls": [acl_fields(READ)], "absent": [acl_fields(READ)]}, "is declared and under absen"),
        (
            {"acls": [acl_fields(READ)], "absent_principals": ["User:alice"]},
            "may read topic payments: is declared, and User:alice is under absent_principals",
        ),
    ],
)
def test_errors_name_acl_and_reason(params, message):
    with pytest.raises(AclError, match=message):
        parse_specs(params)


class Kafka:
    """A fake cluster; rejects ACLs of ``bad`` resources, and all ACLs after ``most`` changes."""

    def __init__(self, *acls, bad=(), most=1000):
        self.acls = set(acls)
        self.bad = bad
        self.left = most

    def read_acls(self):
        return set(self.acls)

    def change(self, acls, do):
        refused = {}
        for acl in acls:
            if acl.resource in self.bad or not self.left:
                refused[acl] = "no"
            else:
                self.left -= 1
                do(acl)
        return refused

    def create_acls(self, acls):
        return self.change(acls, self.acls.add)

    def delete_acls(self, acls):
        return self.change(acls, self.acls.discard)


def test_second_run_changes_nothing_and_foreign_acls_are_reported():
    kafka = Kafka(WRITE, OTHER)
    desired = specs([READ])
    assert converge(kafka, desired, dry=False) == ([Grant(READ)], [WRITE])
    assert converge(kafka, desired, dry=False) == ([], [WRITE])
    assert kafka.acls == {READ, WRITE, OTHER}


def test_dry_run_returns_steps_without_applying_them():
    kafka = Kafka(WRITE)
    steps, _ = converge(kafka, specs([READ], [WRITE]), dry=True)
    assert len(steps) == 2
    assert kafka.acls == {WRITE}


def test_no_acl_is_deleted_while_a_new_one_is_rejected():
    kafka = Kafka(WRITE, bad=["secret"])
    secret = Acl("User:alice", "topic", "secret", "read")
    with pytest.raises(AclError, match=r"^add: User:alice may read topic secret: no$"):
        converge(kafka, specs([READ, secret], [WRITE]), dry=False)
    assert kafka.acls == {READ, WRITE}


@pytest.mark.parametrize("most", range(4))
def test_next_run_completes_a_failed_one(most):
    desired = specs([READ, OTHER], [WRITE])
    kafka = Kafka(WRITE, most=most)
    if most < 3:
        with pytest.raises(AclError):
            converge(kafka, desired, dry=False)
    kafka.left = 1000
    converge(kafka, desired, dry=False)
    assert kafka.acls == {READ, OTHER}


def test_portions_keep_acls_of_a_resource_together():
    many = [
        Acl(f"User:u{user}", "topic", f"t{topic}", operation)
        for user in range(10)
        for topic in range(20)
        for operation in ("read", "describe", "write")
    ]
    found = list(split_into_requests(many))
    assert [len(each) for each in found] == [200, 200, 200]
    assert {acl for each in found for acl in each} == set(many)
    # ACLs of one resource are adjacent, so most of them are in the same request.
    names = [acl.resource for each in found for acl in each]
    assert sum(one != other for one, other in pairwise(names)) == 19


def test_ten_thousand_acls_are_planned_quickly():
    fields = [
        acl_fields(Acl(f"User:u{number}", "topic", f"t{number}", operation))
        for number in range(3333)
        for operation in ("read", "write", "describe")
    ]
    started = time.monotonic()
    desired = parse_specs({"acls": fields})
    assert plan(desired.acls, desired) == []
    # It takes less than 0.5 s on an idle host; the limit only detects quadratic behaviour.
    assert time.monotonic() - started < 20


def test_difference_has_one_line_per_acl():
    assert difference([Grant(READ), Revoke(WRITE)]) == {
        "before": "User:alice may write topic payments\n",
        "after": "User:alice may read topic payments\n",
    }
    odd = Acl("User:a", "cluster", "kafka-cluster", "alter_configs", "literal", "deny", "10.0.0.1")
    assert str(odd) == "User:a must not alter_configs cluster from 10.0.0.1"
