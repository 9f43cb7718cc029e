"""The CA of the quorum, and trust between servers while they move to it."""

import itertools
import ssl
from dataclasses import replace

import pytest
import site_ca
import tls
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    store_document,
    store_items,
    store_report,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.credentials_model import (
    CaSpec,
    CredentialsError,
    Spec,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.credentials_plan import (
    Given,
    plan,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import leaf
from site_ca import DAY, NOW

SERVERS = tuple(leaf.Leaf(f"zk{n}", f"ensemble-{n}", "test", dns=("zk",)) for n in (1, 2))
QUORUM = tuple(replace(each, name=f"{each.name}-quorum") for each in SERVERS)
CLIENT = leaf.Leaf("history", "history", "test", usages=("client",))
BEFORE = Spec(
    cluster="test",
    ca=CaSpec("test CA", 3650),
    certificates=(*SERVERS, CLIENT),
    passwords=(),
    given_passwords={},
    renew_before_days=30,
    rotate="none",
    names=(),
    phase="",
    purge=False,
)
SPEC = replace(BEFORE, quorum=QUORUM)
PHASES = ("trust", "issue", "drop")


def carried(held, spec, at=NOW, given=None):
    """The store afterwards, as it is read again."""
    planned = plan(held, spec, given or Given(), at)
    return store_document.read(store_document.write(planned.content))


def moving(phase, to="own"):
    return replace(SPEC, rotate="quorum", phase=phase, quorum_ca=to)


class Server:
    """What one server shows and trusts on its quorum ports, with a store, as the play says."""

    def __init__(self, held, name="zk1"):
        document = store_document.document(store_document.write(held))
        own = store_items.pick(document, "quorum_stage") != "platform"
        self.keys = store_items.pick(
            document, f"keypair:{name}-quorum" if own else f"keypair:{name}"
        )
        self.trusted = store_items.pick(document, "quorum_truststore" if own else "truststore")
        self.client = store_items.pick(document, "keypair:history")


def joins(keys, server, folder):
    """Whether who shows ``keys`` gets past the TLS of a server's quorum ports."""
    there = tls.server(folder, server.keys, trusted=server.trusted)
    try:
        return tls.handshake(tls.client(folder, server.trusted, keystore=keys), there, "zk") == b"x"
    except ssl.SSLError:
        return False


def meet(one, other, folder):
    """Whether each of two servers accepts the other, in both directions."""
    for a, b in ((one, other), (other, one)):
        there = tls.server(folder, b.keys, trusted=b.trusted)
        tls.handshake(tls.client(folder, a.trusted, keystore=a.keys), there, "zk")


FRESH = carried(None, SPEC)
OLD = carried(None, BEFORE)
WAY = [OLD]
for each in PHASES:
    WAY.append(carried(WAY[-1], moving(each)))
BACK = [WAY[-1]]
for each in PHASES:
    BACK.append(carried(BACK[-1], moving(each, "platform")))


@pytest.mark.parametrize("held", [FRESH, WAY[-1]], ids=["new", "moved"])
def test_only_servers_can_join_the_quorum(held, tmp_path):
    server, other = Server(held), Server(held, "zk2")

    assert joins(other.keys, server, tmp_path)
    assert not joins(server.client, server, tmp_path)
    for name in ("zk1", "zk2"):
        shown_to_clients = store_items.pick(
            store_document.document(store_document.write(held)), f"keypair:{name}"
        )
        assert not joins(shown_to_clients, server, tmp_path)


def test_old_store_is_unchanged_until_rotation(tmp_path):
    planned = plan(OLD, SPEC, Given(), NOW)

    assert planned.steps == ()
    assert store_document.write(planned.content) == store_document.write(OLD)
    # The hole that the move closes.
    assert joins(Server(OLD).client, Server(OLD), tmp_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [*itertools.pairwise(WAY), *itertools.pairwise(BACK)],
    ids=["trust", "issue", "drop", "trust back", "issue back", "drop back"],
)
def test_servers_in_neighbouring_stages_trust_each_other(before, after, tmp_path):
    meet(Server(before), Server(after, "zk2"), tmp_path)


def test_move_passes_all_stages_in_both_directions():
    said = [
        store_report.report(plan(held, SPEC, Given(), NOW), SPEC, NOW)["quorum"] for held in WAY
    ]
    assert said == ["platform", "trusted", "shown", "own"]
    said = [
        store_report.report(plan(held, SPEC, Given(), NOW), SPEC, NOW)["quorum"] for held in BACK
    ]
    assert said == ["own", "shown", "trusted", "platform"]
    assert store_document.write(BACK[-1]) == store_document.write(OLD)


def test_move_can_be_repeated():
    for done, held in enumerate(WAY):
        for phase in PHASES[:done]:
            assert plan(held, moving(phase), Given(), NOW).steps == ()
    assert plan(FRESH, moving("trust"), Given(), NOW).steps == ()


@pytest.mark.parametrize(("held", "phase"), [(OLD, "issue"), (OLD, "drop"), (WAY[1], "drop")])
def test_skipped_stage_is_refused(held, phase):
    with pytest.raises(CredentialsError, match=r"phase: found \w+, but the quorum is in stage \w+"):
        plan(held, moving(phase), Given(), NOW)


def test_spec_without_quorum_keeps_its_keys():
    assert '"format": 2' in store_document.write(FRESH)
    assert '"format": 1' in store_document.write(OLD)


def test_certificates_of_the_quorum_are_renewed_and_new_servers_get_theirs(tmp_path):
    later = Server(carried(FRESH, SPEC, NOW + 380 * DAY))
    assert later.keys != Server(FRESH).keys
    assert later.trusted == Server(FRESH).trusted

    third = replace(SERVERS[0], name="zk3"), replace(QUORUM[0], name="zk3-quorum")
    spec = replace(SPEC, certificates=(*SERVERS, CLIENT, third[0]), quorum=(*QUORUM, third[1]))
    for held in (*WAY[1:], FRESH):
        meet(Server(carried(held, spec), "zk3"), Server(held), tmp_path)


def test_ca_rotation_includes_the_quorum_ca(tmp_path):
    way = [FRESH]
    for phase in PHASES:
        way.append(carried(way[-1], replace(SPEC, rotate="ca", phase=phase)))
    for before, after in itertools.pairwise(way):
        meet(Server(before), Server(after, "zk2"), tmp_path)
    assert not joins(Server(FRESH).keys, Server(way[-1]), tmp_path)


@pytest.mark.parametrize("held", WAY[1:3], ids=["trusted", "shown"])
def test_platform_ca_rotation_during_the_move_keeps_trust(held, tmp_path):
    way = [held]
    for phase in PHASES:
        way.append(carried(way[-1], replace(SPEC, rotate="ca", phase=phase)))
    for before, after in itertools.pairwise(way):
        meet(Server(before), Server(after, "zk2"), tmp_path)


def test_ready_made_certificates_also_have_a_quorum_ca(tmp_path):
    company = site_ca.issuing()
    pairs = {each.name: leaf.issue(each, company, NOW) for each in (*SERVERS, CLIENT)}
    given = Given(roots=(company.root,), pairs=pairs)
    spec = replace(SPEC, ca=replace(SPEC.ca, directory="certificates"))

    held = carried(None, spec, given=given)

    assert joins(Server(held, "zk2").keys, Server(held), tmp_path)
    assert not joins(Server(held).client, Server(held), tmp_path)
