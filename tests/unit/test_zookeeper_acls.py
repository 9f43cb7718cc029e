"""Desired ACLs of znodes, and their changes."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._services import zookeeper_acls as nodes
from ansible_collections.metal.kafka.plugins.module_utils._services.zookeeper_client import (
    NO_AUTH,
    Acl,
    ZooKeeperError,
    decode_rights,
    encode_rights,
)

BROKERS, MASTERS = "CN=brokers,O=shop", "CN=spark-masters,O=shop"
SPARK = "/kafka-metal/spark/shop"
UNRESTRICTED = [Acl("world", "anyone", "cdrwa")]


class Tree:
    """A tree of znodes with their ACLs."""

    def __init__(self, **paths):
        self.acls = {"/": UNRESTRICTED, **paths}

    def acl(self, path):
        return self.acls.get(path)

    def set_acl(self, path, acl):
        assert path in self.acls
        self.acls[path] = list(acl)

    create = None


class CheckedTree(Tree):
    """A session of a broker: creating a znode requires the right at its parent."""

    def create(self, path, acl):
        parent = self.acls[path.rpartition("/")[0] or "/"]
        assert any("c" in each.rights for each in parent if each.id in (BROKERS, "anyone")), path
        self.acls[path] = list(acl)


def desired_nodes(trust="own", masters=(MASTERS,)):
    return nodes.read(nodes.desired_nodes([BROKERS, BROKERS], masters, SPARK, trust))


def apply_acls(tree, desired):
    changes = nodes.differences(tree, desired)
    nodes.apply(tree, changes, desired)
    return nodes.messages(changes)


def writers(acls):
    return {each.id for each in acls if set(each.rights) & set("cdwa")}


def tree():
    # The znodes that Kafka and Spark create.
    return CheckedTree(
        **{
            "/zookeeper": UNRESTRICTED,
            "/zookeeper/quota": UNRESTRICTED,
            "/consumers": UNRESTRICTED,
            "/controller_epoch": [Acl("x509", BROKERS, "cdrwa"), Acl("world", "anyone", "r")],
            "/kafka-metal": UNRESTRICTED,
            "/kafka-metal/spark": UNRESTRICTED,
            SPARK: UNRESTRICTED,
            f"{SPARK}/master_status": UNRESTRICTED,
        }
    )


def test_only_brokers_write_parents_and_only_masters_spark_s_znodes():
    found = tree()
    apply_acls(found, desired_nodes())

    for path, acls in found.acls.items():
        owner = MASTERS if path.startswith(SPARK) else BROKERS
        # Brokers have the admin right on Spark's znodes, to set their ACLs.
        assert writers(acls) - {BROKERS} == {owner} - {BROKERS}, path
        assert all(set(each.rights) <= {"r"} for each in acls if each.scheme == "world"), path
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]
    # Only masters may read their state.
    assert "world" not in {each.scheme for each in found.acls[f"{SPARK}/master_status"]}


def test_second_comparison_finds_no_changes():
    found = tree()
    assert apply_acls(found, desired_nodes())
    assert apply_acls(found, desired_nodes()) == []


def test_reverting_opens_all_znodes():
    found, before = tree(), tree()
    apply_acls(found, desired_nodes())
    apply_acls(found, desired_nodes("platform"))
    # Kafka's own znodes keep their ACLs; the znodes created for masters are kept and open.
    assert found.acls == {**before.acls, f"{SPARK}/leader_election": UNRESTRICTED}


def test_brokers_create_nodes_for_masters():
    found = CheckedTree()
    steps = apply_acls(found, desired_nodes())
    assert [each.partition(":")[0] for each in steps] == [
        "/",
        "/kafka-metal",
        "/kafka-metal/spark",
        SPARK,
        f"{SPARK}/leader_election",
        f"{SPARK}/master_status",
    ]
    assert MASTERS in writers(found.acls[SPARK])
    # The temporary rights on the parent are removed.
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]
    assert apply_acls(found, desired_nodes()) == []


def test_missing_node_of_masters_is_recreated():
    found = CheckedTree()
    apply_acls(found, desired_nodes())
    del found.acls[f"{SPARK}/leader_election"]
    assert len(apply_acls(found, desired_nodes())) == 1
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]


class BehindTree(CheckedTree):
    """A leader that knows ACLs later than the server of the session, or never."""

    def __init__(self, refusals):
        super().__init__()
        self.refusals = refusals

    def create(self, path, acl):
        if path.startswith(f"{SPARK}/") and self.refusals:
            self.refusals -= 1
            raise ZooKeeperError(f"create {path}", NO_AUTH)
        super().create(path, acl)


def test_a_leader_that_applies_acls_later_is_asked_again(monkeypatch):
    monkeypatch.setattr(nodes, "AGAIN_S", 0)
    found = BehindTree(refusals=3)
    assert len(apply_acls(found, desired_nodes())) == 6
    assert apply_acls(found, desired_nodes()) == []


def test_a_refusal_that_lasts_is_an_error_and_closes_the_parent(monkeypatch):
    monkeypatch.setattr(nodes, "OPENED_S", 0)
    found = BehindTree(refusals=1_000)
    with pytest.raises(ZooKeeperError, match="not authorized"):
        apply_acls(found, desired_nodes())
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]


@pytest.mark.parametrize("trust", ["own", "platform"])
def test_without_masters_no_node_is_created(trust):
    found = CheckedTree()
    apply_acls(found, desired_nodes(trust, ()))
    assert list(found.acls) == ["/"]


def test_messages_have_found_and_desired_acls():
    assert apply_acls(CheckedTree(), desired_nodes("own", ())) == [
        f"/: found world:anyone:cdrwa; declared: world:anyone:r x509:{BROKERS}:cdrwa"
    ]


@pytest.mark.parametrize(("rights", "number"), [("r", 1), ("cdrwa", 31), ("ra", 17), ("", 0)])
def test_rights_are_bits(rights, number):
    assert encode_rights(rights) == number
    assert decode_rights(number) == rights
