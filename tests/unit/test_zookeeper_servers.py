import socket
import threading
import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._services.zookeeper_servers import (
    ResponseError,
    Server,
    before_stop,
    parse,
    query_servers,
    report,
)

LEADER = """Zookeeper version: 3.9.6-0123abc, built on 2026-01-01 00:00 UTC
Latency min/avg/max: 0/0.5/10
Received: 12
Sent: 11
Connections: 4
Outstanding: 0
Zxid: 0x100000002
Mode: leader
Node count: 5
Proposal sizes last/min/max: 48/48/48
"""


def server(number, mode="follower", version="3.9.6", error=None):
    return Server(number, "zk", 2180 + number, mode, version, error=error)


def test_response_is_parsed():
    assert parse(LEADER) == {
        "mode": "leader",
        "version": "3.9.6",
        "zxid": "0x100000002",
        "connections": 4,
    }


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ("This ZooKeeper instance is not currently serving requests\n", "no quorum"),
        (
            "srvr is not executed because it is not in the whitelist.\n",
            r"4lw\.commands\.whitelist must list it",
        ),
        ("HTTP/1.1 400 Bad Request\r\n", "did not respond like a ZooKeeper server: 'HTTP/1.1 400"),
        ("", "did not respond like a ZooKeeper server"),
    ],
)
def test_response_without_state_has_a_reason(response, message):
    with pytest.raises(ResponseError, match=message):
        parse(response)


LOST = server(3, mode=None, error="is unreachable: Connection refused")


@pytest.mark.parametrize(
    ("servers", "leader", "quorum", "available"),
    [
        ([server(1), server(2, "leader"), server(3)], 2, True, True),
        ([server(1, "standalone")], 1, True, True),
        ([server(1), server(2, "leader"), server(3, "observer")], 2, True, True),
        ([server(1), server(2, "leader"), LOST], 2, False, True),
        ([server(1), server(2, "leader"), LOST, LOST, LOST], 2, False, False),
        ([server(1), server(2), LOST], None, False, False),
        ([server(1, "leader"), server(2, "leader"), server(3)], None, False, False),
        ([server(1, "standalone"), server(2, "leader"), server(3)], None, False, False),
        ([server(1, "standalone"), LOST], None, False, False),
    ],
)
def test_quorum_is_one_leader_that_all_others_follow(servers, leader, quorum, available):
    found = report(servers)
    assert (found["leader"], found["quorum"], found["available"]) == (leader, quorum, available)
    assert bool(found["problems"]) == (not quorum)


def test_problems_name_the_server():
    assert report([server(1), server(2, "leader", version="3.8.4"), LOST])["problems"] == [
        "server 3 (zk:2183) is unreachable: Connection refused",
        "servers run different versions: 3.8.4, 3.9.6",
    ]
    assert report([server(1, "standalone"), server(2, "standalone")])["problems"] == [
        "more than one server is leader: server 1 (zk:2181), server 2 (zk:2182); "
        "they are not one ensemble",
        "server 1 (zk:2181) runs standalone, not as one of 2",
    ]


@pytest.fixture
def listener():
    """Start servers that send a text on the first connection; None for no response."""
    sockets = []

    def start(response):
        listening = socket.create_server(("127.0.0.1", 0))
        sockets.append(listening)

        def serve():
            connection, _ = listening.accept()
            sockets.append(connection)
            if response is not None:
                connection.recv(4)
                # In two parts, as TCP may deliver it.
                connection.sendall(response[:20].encode())
                connection.sendall(response[20:].encode())
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        return listening.getsockname()[1]

    yield start
    for one in sockets:
        one.close()


def test_servers_are_queried_in_parallel(listener):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        refused = unused.getsockname()[1]
    ports = [listener(LEADER), listener(None), listener(None), refused]
    begun = time.monotonic()
    servers = query_servers(
        [{"id": number, "host": "127.0.0.1", "port": port} for number, port in enumerate(ports)],
        timeout=0.3,
    )
    assert time.monotonic() - begun < 1.5
    assert [one.mode for one in servers] == ["leader", None, None, None]
    assert [one.error for one in servers] == [
        None,
        "does not respond within 0.3 s",
        "does not respond within 0.3 s",
        "is unreachable: Connection refused",
    ]


@pytest.mark.parametrize(
    ("modes", "stopping", "safe"),
    [
        (("leader", "follower", "follower"), 2, True),
        (("leader", "follower", None), 2, False),
        # Server 3 is already unavailable: stopping it changes nothing.
        (("leader", "follower", None), 3, True),
        (("leader", "follower", "follower", "follower", None), 2, True),
        (("leader", "follower", "follower", None, None), 2, False),
        # Waiting would not help.
        (("standalone",), 1, True),
        (("leader", "follower"), 1, True),
    ],
)
def test_server_may_stop_only_while_the_others_keep_the_quorum(modes, stopping, safe):
    servers = [Server(n, f"zk{n}", 2181, mode) for n, mode in enumerate(modes, 1)]
    decision = before_stop(servers, stopping)
    assert decision["safe"] is safe
    assert bool(decision["blockers"]) is not safe


def test_blocker_names_missing_servers():
    servers = [
        Server(1, "zk1", 2181, "leader"),
        Server(2, "zk2", 2181, "follower"),
        Server(3, "zk3", 2181),
    ]
    assert before_stop(servers, 1)["blockers"] == [
        "without server 1, 1 of 3 servers would serve, and 2 are needed: "
        "server 3 (zk3:2181) not serving"
    ]
