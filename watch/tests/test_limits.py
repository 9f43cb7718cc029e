"""Connection limits of listeners from the settings of a broker."""

import pytest
from kafka_metal_watch.limits import listener_limits

LISTENERS = {"listeners": "CLIENTS://0.0.0.0:9092,BROKERS://0.0.0.0:9192"}
NONE = {"max.connections": "2147483647"}


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        ({}, {}),
        ({"listeners": None}, {}),
        ({**LISTENERS, **NONE}, {}),
        ({**LISTENERS, "max.connections": "30"}, {"CLIENTS": 30, "BROKERS": 30}),
        (
            {
                **LISTENERS,
                "max.connections": "30",
                "listener.name.clients.max.connections": "20",
            },
            {"CLIENTS": 20, "BROKERS": 30},
        ),
        (
            {**LISTENERS, **NONE, "listener.name.clients.max.connections": "20"},
            {"CLIENTS": 20},
        ),
    ],
)
def test_a_listener_has_its_own_limit_or_the_limit_of_the_broker(settings, limits):
    assert listener_limits(settings) == limits
