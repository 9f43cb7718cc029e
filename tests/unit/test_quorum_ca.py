"""The CA of the quorum, and trust between servers during the move to it."""

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
    ProvidedFiles,
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
    provided_passwords={},
    renew_before_days=30,
    rotate="none",
    names=(),
    phase="",
    purge=False,
)
SPEC = replace(BEFORE, quorum=QUORUM)
PHASES = ("trust", "issue", "drop")


def stored(held, spec, at=NOW, given=None):
    """Return the store that a plan writes, parsed again."""
    planned = plan(held, spec, given or ProvidedFiles(), at)
    return store_document.read(store_document.write(planned.content))


def moving(phase, to="own"):
    return replace(SPEC, rotate="quorum", phase=phase, quorum_ca=to)


class Server:
    """A server's keys and truststore for its quorum ports, selected as in the play."""

    def __init__(self, held, name="zk1"):
        document = store_document.parse_document(store_document.write(held))
        own = store_items.find_secret(document, "quorum_stage") != "platform"
        self.keys = store_items.find_secret(
            document, f"keypair:{name}-quorum" if own else f"keypair:{name}"
        )
        self.trusted = store_items.find_secret(
            document, "quorum_truststore" if own else "truststore"
        )
        self.client = store_items.find_secret(document, "keypair:history")


def joins(keys, server, folder):
    """Whether a client with ``keys`` passes the TLS handshake of a server's quorum ports."""
    context = tls.server(folder, server.keys, trusted=server.trusted)
    try:
        return (
            tls.handshake(tls.client(folder, server.trusted, keystore=keys), context, "zk") == b"x"
        )
    except ssl.SSLError:
        return False


def meet(one, other, folder):
    """Shake hands between two servers in both directions; fail if one rejects the other."""
    for a, b in ((one, other), (other, one)):
        context = tls.server(folder, b.keys, trusted=b.trusted)
        tls.handshake(tls.client(folder, a.trusted, keystore=a.keys), context, "zk")


FRESH = stored(None, SPEC)
OLD = stored(None, BEFORE)
WAY = [OLD]
for each in PHASES:
    WAY.append(stored(WAY[-1], moving(each)))
BACK = [WAY[-1]]
for each in PHASES:
    BACK.append(stored(BACK[-1], moving(each, "platform")))


@pytest.mark.parametrize("held", [FRESH, WAY[-1]], ids=["new", "moved"])
def test_only_servers_can_join_the_quorum(held, tmp_path):
    server, other = Server(held), Server(held, "zk2")

    assert joins(other.keys, server, tmp_path)
    assert not joins(server.client, server, tmp_path)
    for name in ("zk1", "zk2"):
        for_clients = store_items.find_secret(
            store_document.parse_document(store_document.write(held)), f"keypair:{name}"
        )
        assert not joins(for_clients, server, tmp_path)


def test_old_store_is_unchanged_until_rotation(tmp_path):
    planned = plan(OLD, SPEC, ProvidedFiles(), NOW)

    assert planned.steps == ()
    assert store_document.write(planned.content) == store_document.write(OLD)
    # Any certificate of the platform's CA is accepted; the move ends that.
    assert joins(Server(OLD).client, Server(OLD), tmp_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [*itertools.pairwise(WAY), *itertools.pairwise(BACK)],
    ids=["trust", "issue", "drop", "trust back", "issue back", "drop back"],
)
def test_servers_in_neighbouring_stages_trust_each_other(before, after, tmp_path):
    meet(Server(before), Server(after, "zk2"), tmp_path)


def test_move_passes_all_stages_in_both_directions():
    stages = [
        store_report.report(plan(held, SPEC, ProvidedFiles(), NOW), SPEC, NOW)["quorum"]
        for held in WAY
    ]
    assert stages == ["platform", "trusted", "shown", "own"]
    stages = [
        store_report.report(plan(held, SPEC, ProvidedFiles(), NOW), SPEC, NOW)["quorum"]
        for held in BACK
    ]
    assert stages == ["own", "shown", "trusted", "platform"]
    assert store_document.write(BACK[-1]) == store_document.write(OLD)


def test_move_can_be_repeated():
    for done, held in enumerate(WAY):
        for phase in PHASES[:done]:
            assert plan(held, moving(phase), ProvidedFiles(), NOW).steps == ()
    assert plan(FRESH, moving("trust"), ProvidedFiles(), NOW).steps == ()


@pytest.mark.parametrize(("held", "phase"), [(OLD, "issue"), (OLD, "drop"), (WAY[1], "drop")])
def test_skipped_stage_is_refused(held, phase):
    with pytest.raises(CredentialsError, match=r"phase: found \w+, but the quorum is in stage \w+"):
        plan(held, moving(phase), ProvidedFiles(), NOW)


def test_spec_without_quorum_keeps_its_keys():
    assert '"format": 2' in store_document.write(FRESH)
    assert '"format": 1' in store_document.write(OLD)


def test_certificates_of_the_quorum_are_renewed_and_new_servers_get_theirs(tmp_path):
    later = Server(stored(FRESH, SPEC, NOW + 380 * DAY))
    assert later.keys != Server(FRESH).keys
    assert later.trusted == Server(FRESH).trusted

    third = replace(SERVERS[0], name="zk3"), replace(QUORUM[0], name="zk3-quorum")
    spec = replace(SPEC, certificates=(*SERVERS, CLIENT, third[0]), quorum=(*QUORUM, third[1]))
    for held in (*WAY[1:], FRESH):
        meet(Server(stored(held, spec), "zk3"), Server(held), tmp_path)


def test_ca_rotation_includes_the_quorum_ca(tmp_path):
    way = [FRESH]
    for phase in PHASES:
        way.append(stored(way[-1], replace(SPEC, rotate="ca", phase=phase)))
    for before, after in itertools.pairwise(way):
        meet(Server(before), Server(after, "zk2"), tmp_path)
    assert not joins(Server(FRESH).keys, Server(way[-1]), tmp_path)


@pytest.mark.parametrize("held", WAY[1:3], ids=["trusted", "shown"])
def test_platform_ca_rotation_during_the_move_keeps_trust(held, tmp_path):
    way = [held]
    for phase in PHASES:
        way.append(stored(way[-1], replace(SPEC, rotate="ca", phase=phase)))
    for before, after in itertools.pairwise(way):
        meet(Server(before), Server(after, "zk2"), tmp_path)


def test_ready_made_certificates_also_have_a_quorum_ca(tmp_path):
    company = site_ca.issuing()
    pairs = {each.name: leaf.issue(each, company, NOW) for each in (*SERVERS, CLIENT)}
    given = ProvidedFiles(roots=(company.root,), pairs=pairs)
    spec = replace(SPEC, ca=replace(SPEC.ca, directory="certificates"))

    held = stored(None, spec, given=given)

    assert joins(Server(held, "zk2").keys, Server(held), tmp_path)
    assert not joins(Server(held).client, Server(held), tmp_path)
