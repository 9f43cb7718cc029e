"""Time limits in files for clients, with which clients leave a hanging broker."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security import client_security

# Seconds until a hanging broker has lost its leadership.
SESSION = 18_000
LONGEST = 35_000


@pytest.mark.parametrize(
    ("kind", "decides"), [("java", "request.timeout.ms"), ("librdkafka", "socket.timeout.ms")]
)
def test_client_leaves_a_hanging_broker_in_time(kind, decides):
    limits = client_security.with_time_limits({}, kind)
    assert int(limits[decides]) <= LONGEST - 10_000
    # A second request finds the new leader.
    assert int(limits[decides]) * 2 > SESSION


def test_options_of_the_site_take_precedence():
    assert (
        client_security.with_time_limits({"socket.timeout.ms": "9"}, "librdkafka")[
            "socket.timeout.ms"
        ]
        == "9"
    )


def test_librdkafka_accepts_every_setting_as_a_producer_and_as_a_consumer():
    from confluent_kafka import Consumer, Producer

    limits = client_security.with_time_limits({"bootstrap.servers": "127.0.0.1:1"}, "librdkafka")
    assert Producer(limits)
    Consumer({**limits, "group.id": "g"}).close()
