"""Requests with an unknown Host header are rejected (DNS rebinding)."""

import pytest
from kafka_metal_watch.hosts import is_allowed_host, restrict_hosts

NAMES = ["node1.example.com", "monitor1"]


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1:9309", "127.0.0.1", "[::1]:9309", "[::1]", "198.18.79.11:9309"),
        *("localhost:9309", "LOCALHOST", "node1.example.com:9309", "Node1.Example.com", "monitor1"),
    ],
)
def test_addresses_and_known_names_are_allowed(host):
    assert is_allowed_host(host, NAMES)


@pytest.mark.parametrize(
    "host",
    [
        *("", "evil.example:9309", "127.0.0.1.evil.example", "localhost.evil.example:80"),
        *("node1.example.com.evil.example", "2130706433", "0x7f000001", "[evil]:9309", "a b"),
    ],
)
def test_other_names_are_rejected(host):
    assert not is_allowed_host(host, NAMES)


def test_a_rejected_request_does_not_reach_the_page():
    started = []
    app = restrict_hosts(lambda *_: [b"the page"], NAMES)
    body = b"".join(app({"HTTP_HOST": "evil.example"}, lambda *start: started.append(start)))
    assert started[0][0].startswith("421")
    assert b"monitoring_page_hosts" in body
    assert b"the page" not in body
