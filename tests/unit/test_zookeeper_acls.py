"""Who owns which node of an ensemble, and what has to change for that."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._services import zookeeper_acls as nodes
from ansible_collections.metal.kafka.plugins.module_utils._services.zookeeper_client import (
    Acl,
    bits,
    letters,
)

BROKERS, MASTERS = "CN=brokers,O=shop", "CN=spark-masters,O=shop"
SPARK = "/kafka-metal/spark/shop"
ANYBODY = [Acl("world", "anyone", "cdrwa")]


class Tree:
    """An ensemble of nodes with their ACLs."""

    def __init__(self, **paths):
        self.acls = {"/": ANYBODY, **paths}

    def acl(self, path):
        return self.acls.get(path)

    def set_acl(self, path, wanted):
        assert path in self.acls
        self.acls[path] = list(wanted)

    create = None


class Growing(Tree):
    """What a broker may do: ZooKeeper asks for the right to create at the parent."""

    def create(self, path, wanted):
        parent = self.acls[path.rpartition("/")[0] or "/"]
        assert any("c" in each.rights for each in parent if each.id in (BROKERS, "anyone")), path
        self.acls[path] = list(wanted)


def given(trust="own", masters=(MASTERS,)):
    return nodes.read(nodes.wanted([BROKERS, BROKERS], masters, SPARK, trust))


def carry(tree, wanted):
    changes = nodes.differences(tree, wanted)
    nodes.apply(tree, changes, wanted)
    return nodes.messages(changes)


def writers(acls):
    return {each.id for each in acls if set(each.rights) & set("cdwa")}


def tree():
    # As Kafka and Spark leave it.
    return Growing(
        **{
            "/zookeeper": ANYBODY,
            "/zookeeper/quota": ANYBODY,
            "/consumers": ANYBODY,
            "/controller_epoch": [Acl("x509", BROKERS, "cdrwa"), Acl("world", "anyone", "r")],
            "/kafka-metal": ANYBODY,
            "/kafka-metal/spark": ANYBODY,
            SPARK: ANYBODY,
            f"{SPARK}/master_status": ANYBODY,
        }
    )


def test_brokers_alone_write_parents_and_masters_alone_what_is_spark_s():
    found = tree()
    carry(found, given())

    for path, acls in found.acls.items():
        owner = MASTERS if path.startswith(SPARK) else BROKERS
        # The brokers administer what is Spark's: they give it its owner.
        assert writers(acls) - {BROKERS} == {owner} - {BROKERS}, path
        assert all(set(each.rights) <= {"r"} for each in acls if each.scheme == "world"), path
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]
    # What masters keep there is for them alone to read.
    assert "world" not in {each.scheme for each in found.acls[f"{SPARK}/master_status"]}


def test_a_second_look_finds_nothing_to_do():
    found = tree()
    assert carry(found, given())
    assert carry(found, given()) == []


def test_the_way_back_gives_everything_to_everybody():
    found, before = tree(), tree()
    carry(found, given())
    carry(found, given("platform"))
    # Who owns what Kafka made stays; what was made for masters stays, too, and is everybody's.
    assert found.acls == {**before.acls, f"{SPARK}/leader_election": ANYBODY}


def test_nodes_of_masters_are_made_for_them_under_parents_that_they_cannot_write():
    found = Growing()
    said = carry(found, given())
    assert [each.partition(":")[0] for each in said] == [
        "/",
        "/kafka-metal",
        "/kafka-metal/spark",
        SPARK,
        f"{SPARK}/leader_election",
        f"{SPARK}/master_status",
    ]
    assert MASTERS in writers(found.acls[SPARK])
    # The rights that making them took are gone.
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]
    assert carry(found, given()) == []


def test_a_node_that_masters_have_lost_is_made_again():
    found = Growing()
    carry(found, given())
    del found.acls[f"{SPARK}/leader_election"]
    assert len(carry(found, given())) == 1
    assert Acl("x509", BROKERS, "ra") in found.acls[SPARK]


@pytest.mark.parametrize("trust", ["own", "platform"])
def test_without_masters_nothing_is_made(trust):
    found = Growing()
    carry(found, given(trust, ()))
    assert list(found.acls) == ["/"]


def test_a_sentence_says_what_was_found_and_what_is_wanted():
    assert carry(Growing(), given("own", ())) == [
        f"/: found world:anyone:cdrwa; wanted world:anyone:r x509:{BROKERS}:cdrwa"
    ]


@pytest.mark.parametrize(("rights", "number"), [("r", 1), ("cdrwa", 31), ("ra", 17), ("", 0)])
def test_rights_are_bits(rights, number):
    assert bits(rights) == number
    assert letters(number) == rights
