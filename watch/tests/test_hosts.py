"""A web site that points its name at a loopback address reads nothing there."""

import pytest
from kafka_metal_watch.hosts import allowed, guarded

NAMES = ["node1.example.com", "monitor1"]


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1:9309", "127.0.0.1", "[::1]:9309", "[::1]", "198.18.79.11:9309"),
        *("localhost:9309", "LOCALHOST", "node1.example.com:9309", "Node1.Example.com", "monitor1"),
    ],
)
def test_an_address_and_a_known_name_are_answered(host):
    assert allowed(host, NAMES)


@pytest.mark.parametrize(
    "host",
    [
        *("", "evil.example:9309", "127.0.0.1.evil.example", "localhost.evil.example:80"),
        *("node1.example.com.evil.example", "2130706433", "0x7f000001", "[evil]:9309", "a b"),
    ],
)
def test_any_other_name_is_refused(host):
    assert not allowed(host, NAMES)


def test_a_refused_request_does_not_reach_the_page():
    said = []
    answer = guarded(lambda *_: [b"the page"], NAMES)
    body = b"".join(answer({"HTTP_HOST": "evil.example"}, lambda *start: said.append(start)))
    assert said[0][0].startswith("421")
    assert b"monitoring_page_hosts" in body
    assert b"the page" not in body
