"""TLS migration: brokers, servers and clients of neighbouring phases can connect."""

from itertools import pairwise

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    tls_migration,
    zookeeper_tls_migration,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.security_modes import (
    SecurityError,
)

LISTENERS = {
    "CLIENTS": {"bind": "0.0.0.0", "advertise": "k1", "port": 9092},
    "BROKERS": {"bind": "0.0.0.0", "advertise": "k1", "port": 9192},
}
STEP = 1000
MODES = ("tls_scram", "mtls", "scram")
ORDER = (tls_migration.OPEN, *tls_migration.ORDER)
NEIGHBOURS = list(pairwise(ORDER))
in_every_mode = pytest.mark.parametrize("mode", MODES)
between_neighbours = pytest.mark.parametrize(("before", "after"), NEIGHBOURS)


class Broker:
    """Listeners and protocols of a broker in one phase."""

    def __init__(self, mode: str, phase: str) -> None:
        if phase == tls_migration.OPEN:
            self.ports = {name: at["port"] for name, at in LISTENERS.items()}
            self.protocols = dict.fromkeys(LISTENERS, "PLAINTEXT")
            self.between, self.clients = "BROKERS", "CLIENTS"
            self.supers: list[str] | None = None
            return
        every = {**LISTENERS, **tls_migration.secured_listeners(LISTENERS, phase, STEP)}
        self.ports = {name: at["port"] for name, at in every.items()}
        self.protocols = tls_migration.protocols(mode, phase, LISTENERS, "CLIENTS", "BROKERS")
        self.between = tls_migration.inter_broker_listener(phase, "BROKERS")
        self.clients = tls_migration.client_listener(phase, "CLIENTS")
        self.supers = tls_migration.further_super_users(phase, [])

    def accepts(self, listener: str, protocol: str) -> bool:
        """Whether a client with ``protocol`` has access by ``listener``."""
        anonymous = protocol == "PLAINTEXT" and self.supers is not None
        return (
            listener in self.ports
            and self.protocols[listener] == protocol
            and (not anonymous or tls_migration.ANONYMOUS in (self.supers or ()))
        )


def server(mode: str, phase: str) -> tuple[set[tuple[int, bool]], bool, set[bool]]:
    """Return a server's ports and their TLS, its quorum's TLS, and the TLS that it accepts."""
    if phase == tls_migration.OPEN:
        return {(2181, False)}, False, {False}
    keys = zookeeper_tls_migration.server_properties(mode, phase, 2181, "0.0.0.0", STEP, "own")
    ports = {(keys["clientPort"], False)} if "clientPort" in keys else set()
    ports.add((keys["secureClientPort"], True))
    accepts = {True, False} if keys.get("portUnification") else {bool(keys["sslQuorum"])}
    return ports, bool(keys["sslQuorum"]), accepts


def targets(mode: str, phase: str) -> set[tuple[int, bool]]:
    """Return the ports at which a broker or module connects to a server, and whether over TLS."""
    if phase == tls_migration.OPEN:
        return {(2181, False)}
    [found] = zookeeper_tls_migration.servers([{"id": 1, "host": "z1", "port": 2181}], phase, STEP)
    tls = zookeeper_tls_migration.uses_certificate(mode, phase)
    return {(port, tls) for port in (found["port"], *found["other_ports"])}


@in_every_mode
@between_neighbours
def test_brokers_in_neighbouring_phases_are_compatible(mode, before, after):
    one, other = Broker(mode, before), Broker(mode, after)

    assert other.accepts(one.between, one.protocols[one.between])
    assert one.accepts(other.between, other.protocols[other.between])


@in_every_mode
@between_neighbours
def test_clients_are_served_before_and_after_a_roll(mode, before, after):
    one, other = Broker(mode, before), Broker(mode, after)

    assert one.accepts(one.clients, one.protocols[one.clients])
    assert other.accepts(one.clients, one.protocols[one.clients])


@in_every_mode
@between_neighbours
def test_modules_connect_before_and_after_a_roll(mode, before, after):
    name = tls_migration.operator_listener(after, "CLIENTS", "BROKERS")
    protocol = Broker(mode, after).protocols[name]

    assert Broker(mode, before).accepts(name, protocol)
    assert Broker(mode, after).accepts(name, protocol)


@in_every_mode
@between_neighbours
def test_every_server_is_reachable_during_a_roll_of_zookeeper(mode, before, after):
    for state in (before, after):
        ports, _, _ = server(mode, state)
        # Brokers are rolled after all servers.
        assert targets(mode, before) & ports
        assert targets(mode, after) & ports


@in_every_mode
@between_neighbours
def test_servers_in_neighbouring_phases_are_compatible(mode, before, after):
    _, one_protocol, one_accepts = server(mode, before)
    _, other_protocol, other_accepts = server(mode, after)

    assert one_protocol in other_accepts
    assert other_protocol in one_accepts


@in_every_mode
def test_at_the_end_no_added_listener_remains(mode):
    secured = Broker(mode, "")

    assert set(secured.ports) == set(LISTENERS)
    assert "PLAINTEXT" not in secured.protocols.values()
    assert tls_migration.ANONYMOUS not in secured.supers
    assert server(mode, "") == ({(2181, True)}, True, {True})
    assert zookeeper_tls_migration.client_properties(mode, "")["zookeeper.set.acl"] is True


@in_every_mode
def test_brokers_own_znodes_only_after_all_authenticate(mode):
    authenticated = [
        zookeeper_tls_migration.uses_certificate(mode, phase) for phase in tls_migration.ORDER
    ]
    owning = [tls_migration.PHASES[phase].metadata_acls for phase in tls_migration.ORDER]

    assert owning.index(True) == authenticated.index(True) + 1


def properties(mode: str, phase: str) -> dict[str, str]:
    """Return the keys of server.properties that determine the phase."""
    broker = Broker(mode, phase)
    protocols = ",".join(f"{name}:{protocol}" for name, protocol in broker.protocols.items())
    return {
        "listener.security.protocol.map": protocols,
        "inter.broker.listener.name": broker.between,
    }


@in_every_mode
@pytest.mark.parametrize("phase", ORDER)
def test_phase_is_read_from_properties(mode, phase):
    assert tls_migration.broker_phase(properties(mode, phase), "BROKERS") == phase


def test_broker_without_properties_is_new():
    assert tls_migration.broker_phase({}, "BROKERS") == tls_migration.NEW


@pytest.mark.parametrize(
    ("running", "goal", "todo"),
    [
        (["open"] * 3, "both", ["added", "brokers"]),
        (["brokers"] * 3, "both", []),
        (["brokers"] * 3, "enforced", ["enforced", "back"]),
        (["back"] * 3, "", [""]),
        (["open"] * 3, "", ["added", "brokers", "enforced", "back", ""]),
        # Interrupted: continue with the later of two phases.
        (["brokers", "added", "new"], "both", ["brokers"]),
    ],
)
def test_steps_start_at_the_least_advanced_broker(running, goal, todo):
    assert tls_migration.steps(running, goal) == todo


@pytest.mark.parametrize(
    ("running", "goal", "message"),
    [
        (["new", "new"], "both", "make up creates a secured cluster"),
        (["back"], "both", "'both' cannot be reached: brokers are already in phase back"),
        ([""], "enforced", "brokers are already in phase secured"),
        (
            ["open"],
            "open",
            "security_migration: 'open' is unknown; allowed: 'both', 'enforced', ''",
        ),
    ],
)
def test_unreachable_goal_is_refused(running, goal, message):
    with pytest.raises(SecurityError, match=message):
        tls_migration.steps(running, goal)


@pytest.mark.parametrize(
    ("mode", "found", "goal", "entering", "message"),
    [
        ("tls_scram", "", "", False, ""),
        ("tls_scram", "new", "", False, ""),
        ("plain", "open", "", False, ""),
        ("tls_scram", "brokers", "brokers", False, ""),
        ("tls_scram", "open", "added", True, ""),
        ("tls_scram", "open", "", False, "it is unsecured and tls_scram is declared"),
        ("tls_scram", "open", "added", False, "it is unsecured"),
        ("tls_scram", "open", "brokers", True, "security_migration 'both'"),
        ("tls_scram", "brokers", "", False, "in phase brokers and tls_scram is declared"),
        ("plain", "", "", False, "it is secured and security_mode plain is declared"),
    ],
)
def test_running_broker_moves_one_phase_at_a_time(mode, found, goal, entering, message):
    blocker = tls_migration.phase_blocker(mode, found, goal, entering)

    assert message in blocker
    assert bool(blocker) == bool(message)
