"""Connections between machines that fail are one problem for each machine that causes them."""

import socket
import threading
import time

from ansible_collections.metal.kafka.plugins.module_utils._problems import connection_problems
from ansible_collections.metal.kafka.plugins.modules import machine_state
from ansible_collections.metal.kafka.plugins.modules.machine_state import failed_connections
from ansible_collections.metal.kafka.plugins.plugin_utils._site import connections
from site_inventories import site

MACHINES = ("node1", "node2", "node3")


def failed(*pairs, state="timeout", port=9192):
    """Return failed connections from machines to brokers of the same number."""
    found = {machine: [] for machine in MACHINES}
    for client, server in pairs:
        found[f"node{client}"].append(
            {
                "instance": f"kafka{server}", "machine": f"node{server}",
                "address": f"10.0.0.{server}", "port": port, "state": state,
            }
        )  # fmt: skip
    return found


def found(pairs):
    return [(each.where, each.text) for each in connection_problems.problems(pairs)]


def test_a_machine_without_network_is_the_problem_of_all_others():
    assert found(failed((1, 2), (2, 1), (2, 3), (3, 2))) == [
        (
            "node2",
            "connections between node2 and node1, node3 fail (timeout): kafka1 at 10.0.0.1:9192, "
            "kafka2 at 10.0.0.2:9192, kafka3 at 10.0.0.3:9192",
        )
    ]


def test_unreachable_machines_explain_the_connections_that_fail():
    broken = failed((1, 2), (1, 3))
    assert connection_problems.problems(broken, unreachable=["node2", "node3"]) == []
    assert [each.where for each in connection_problems.problems(broken, ["node2"])] == ["node1"]


def test_a_closed_port_is_the_problem_of_its_machine():
    assert found(failed((1, 3), (2, 3), state="no route")) == [
        (
            "node3",
            "connections between node3 and node1, node2 fail (no route): kafka3 at 10.0.0.3:9192",
        )
    ]


def test_two_machines_that_are_cut_from_each_other_are_one_problem():
    assert [where for where, _ in found(failed((2, 3), (3, 2)))] == ["node2"]


def test_an_endpoint_that_refuses_connections_is_reached_by_the_network():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        reached = [{"address": "127.0.0.1", "port": port}]
        assert failed_connections(reached) == []
    assert failed_connections(reached) == []


def test_a_name_without_an_address_is_not_reached(monkeypatch):
    def fail(*_arguments, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    (missing,) = failed_connections([{"address": "kafka9", "port": 1}])
    assert missing == {"address": "kafka9", "port": 1, "state": "unresolved"}


def test_an_endpoint_without_a_result_in_time_is_not_reached(monkeypatch):
    never = threading.Event()

    def resolve(*_arguments, **_options):
        never.wait(20)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(machine_state, "CONNECT_SECONDS", 0.1)
    begun = time.monotonic()
    (slow,) = failed_connections([{"address": "kafka9", "port": 1}])
    never.set()
    assert slow["state"] == "no result in 0.6 s"
    assert time.monotonic() - begun < 10


def test_a_machine_connects_to_services_of_other_machines():
    found = connections.of_machine(site(metal_machine=None), "m2")
    wanted = {(each["instance"], each["machine"], each["port"]) for each in found}
    assert {("zk1", "m1", 2181), ("zk3", "m3", 3888), ("kafka3", "m3", 9192)} <= wanted
    assert "m2" not in {each["machine"] for each in found}
    assert len(found) == len(wanted)


def test_hosts_of_one_machine_need_no_connection_to_it():
    one = site(metal_machine="big")
    assert connections.of_machine(one, "big") == []
    assert connections.of_machine(one, "m2") == []
