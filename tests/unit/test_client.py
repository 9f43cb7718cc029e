"""Connections end in good time, and say why."""

import logging
import socket
import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._kafka import client
from ansible_collections.metal.kafka.plugins.module_utils._kafka.endpoints import (
    ClusterError,
    address,
)
from kafka.errors import (
    NotControllerError,
    TopicAuthorizationFailedError,
)
from kafka_answers import connection, in_sequence


@pytest.fixture
def refused():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    return f"127.0.0.1:{port}"


def test_nobody_listening_is_said_at_once_with_every_address(refused):
    begun = time.monotonic()
    with pytest.raises(ClusterError) as error:
        client.Connection([refused, "nowhere.invalid:9092"], {}, timeout=8)
    assert time.monotonic() - begun < 3
    assert f"no broker listens: {refused}: Connection refused; nowhere.invalid:" in str(error.value)


def test_a_listener_that_never_answers_is_given_up_in_time(refused):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(ClusterError, match=f"no broker answers: {address}: "):
            client.Connection([refused, address], {}, timeout=1)
        assert time.monotonic() - begun < 2


@pytest.mark.parametrize("server", ["kafka1", "kafka1:", "kafka1:port"])
def test_an_address_without_a_port_is_refused_by_name(server):
    with pytest.raises(ClusterError, match=f"'{server}' is not of the form host:port"):
        client.Connection([server], {}, timeout=1)


def test_an_empty_list_of_servers_is_an_error():
    with pytest.raises(ClusterError, match="no bootstrap server is given"):
        client.Connection([], {}, timeout=1)


def test_an_unknown_setting_of_the_client_is_named(refused):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ClusterError, match="sasl_mechanisms"):
            client.Connection([address], {"sasl_mechanisms": "PLAIN"}, timeout=1)


def test_addresses_may_be_of_the_sixth_version():
    assert address("[::1]:9092") == ("::1", 9092)


def test_the_librarys_log_stays_out_of_the_output(capfd, caplog):
    words = client.quiet()
    logging.getLogger("kafka.net.manager").warning("Bootstrap failed: %s", "no")
    assert words.text == "Bootstrap failed: no"
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_a_question_is_asked_again_while_the_controller_moves():
    question = in_sequence(NotControllerError(), RuntimeError("no controller"), "answer")
    assert connection().call("x", question) == "answer"


def test_a_refusal_is_told_with_the_question_and_not_asked_again():
    with pytest.raises(ClusterError, match=r"metadata of topics: .*not allowed"):
        connection().call(
            "metadata of topics",
            in_sequence(TopicAuthorizationFailedError("not allowed"), "answer"),
        )


def test_a_question_without_an_answer_ends_at_the_deadline():
    made = connection()
    made.deadline = Deadline(0.2)
    begun = time.monotonic()
    with pytest.raises(ClusterError, match=r"^x: "):
        made.call("x", in_sequence(NotControllerError("moved")))
    assert time.monotonic() - begun < 2
