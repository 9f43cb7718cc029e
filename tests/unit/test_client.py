"""Connections: time limits, error messages and retries."""

import logging
import socket
import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._kafka import client
from ansible_collections.metal.kafka.plugins.module_utils._kafka.endpoints import (
    ClusterError,
    parse_address,
)
from kafka.errors import (
    NotControllerError,
    TopicAuthorizationFailedError,
)
from kafka_responses import connection, in_sequence


@pytest.fixture
def refused():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    return f"127.0.0.1:{port}"


def test_unreachable_brokers_are_reported_at_once_with_every_address(refused):
    started = time.monotonic()
    with pytest.raises(ClusterError) as error:
        client.Connection([refused, "nowhere.invalid:9092"], {}, timeout=8)
    assert time.monotonic() - started < 3
    assert f"no broker is reachable: {refused}: Connection refused; nowhere.invalid:" in str(
        error.value
    )


def test_hanging_listener_ends_at_the_deadline(refused):
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"127.0.0.1:{hanging.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(ClusterError, match=f"no broker responds: {address}: "):
            client.Connection([refused, address], {}, timeout=1)
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("server", ["kafka1", "kafka1:", "kafka1:port"])
def test_address_without_a_port_is_an_error(server):
    with pytest.raises(ClusterError, match=f"found '{server}'; allowed: host:port"):
        client.Connection([server], {}, timeout=1)


def test_empty_list_of_servers_is_an_error():
    with pytest.raises(ClusterError, match="no bootstrap server is provided"):
        client.Connection([], {}, timeout=1)


def test_unknown_client_setting_is_named(refused):
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        address = f"127.0.0.1:{hanging.getsockname()[1]}"
        with pytest.raises(ClusterError, match="sasl_mechanisms"):
            client.Connection([address], {"sasl_mechanisms": "PLAIN"}, timeout=1)


def test_ipv6_address_is_parsed():
    assert parse_address("[::1]:9092") == ("::1", 9092)


def test_library_log_is_not_in_the_output(capfd, caplog):
    log = client.capture_log()
    logging.getLogger("kafka.net.manager").warning("Bootstrap failed: %s", "no")
    assert log.text == "Bootstrap failed: no"
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_request_is_retried_while_the_controller_changes():
    request = in_sequence(NotControllerError(), RuntimeError("no controller"), "response")
    assert connection().call("x", request) == "response"


def test_error_names_the_request_which_is_not_retried():
    with pytest.raises(ClusterError, match=r"reading metadata of topics: .*not allowed"):
        connection().call(
            "reading metadata of topics",
            in_sequence(TopicAuthorizationFailedError("not allowed"), "response"),
        )


def test_retries_end_at_the_deadline():
    made = connection()
    made.deadline = Deadline(0.2)
    started = time.monotonic()
    with pytest.raises(ClusterError, match=r"^x: "):
        made.call("x", in_sequence(NotControllerError("moved")))
    assert time.monotonic() - started < 2
