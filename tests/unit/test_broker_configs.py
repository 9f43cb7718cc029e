"""Dynamic settings of fake brokers."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._kafka import broker_configs
from ansible_collections.metal.kafka.plugins.module_utils._kafka.broker_configs import (
    BrokerConnection,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.dynamic_configs import (
    DEFAULT,
    FROM_FILE,
    ON_BROKER,
    Spec,
    Step,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_changes import converge

KEY = "num.io.threads"


def described(value, *synonyms, read_only=False):
    """A key in the form of kafka-python."""
    return {
        "value": value,
        "config_type": "INT",
        "read_only": read_only,
        "is_sensitive": False,
        "synonyms": [{"name": n, "value": v, "source": s} for n, v, s in synonyms],
    }


class Brokers:
    """Brokers with one key each, which reject more than twice the current value."""

    def __init__(self, **values):
        self.values = {name.removeprefix("b"): value for name, value in values.items()}
        self.requests = []

    def describe_configs(self, resources, **_):
        name = str(resources[0].name)
        if name not in self.values:
            raise RuntimeError("no such broker")
        value = str(self.values[name])
        return {
            "broker": {name: {KEY: described(value, (KEY, value, ON_BROKER), (KEY, "8", DEFAULT))}}
        }

    def alter_configs(self, resources, validate_only, **_):
        name, configs = str(resources[0].name), resources[0].configs
        self.requests.append((name, dict(configs), validate_only))
        for key, (_, value) in configs.items():
            if key == KEY and value is not None and int(value) > 2 * self.values[name]:
                error = (
                    "[Error 42] InvalidRequestError: Invalid value org.apache.kafka.common.config."
                    "ConfigException: should not be greater than double for configuration "
                    "Invalid dynamic configuration"
                )
                return {"broker": {name: error}}
        if not validate_only:
            self.values[name] = int(configs[KEY][1] or 8)
        return {"broker": {name: "OK"}}


def connection(brokers):
    made = BrokerConnection.__new__(BrokerConnection)
    made.admin, made.request_timeout, made.deadline = brokers, 1, Deadline(1)
    return made


def step(broker, value, key=KEY):
    return Step(broker, key, "8", value)


def test_synonyms_under_other_names_are_ignored():
    synonyms = [
        ("log.retention.ms", "5", FROM_FILE),
        ("log.retention.hours", "168", DEFAULT),
        ("log.retention.ms", None, ON_BROKER),
        ("log.retention.ms", "7", "DYNAMIC_TOPIC_CONFIG"),
    ]
    found = broker_configs.parse_entry("log.retention.ms", described("5", *synonyms))
    assert (found.text, found.kind, found.levels) == ("5", "INT", {FROM_FILE: "5"})


def test_unresponsive_broker_is_returned_with_its_reason():
    found, failed = connection(Brokers(b1=8)).read_brokers([1, 2])
    assert found[1][KEY].text == "8"
    assert failed == {2: "no such broker"}
    assert broker_configs.no_response(failed) == "broker 2 does not respond: no such broker"


def test_each_broker_gets_one_request():
    brokers = Brokers(b1=8, b2=8)
    steps = [step(1, "16"), step(1, "1", "log.roll.ms"), step(2, None)]
    assert connection(brokers).change(steps, dry=False) == []
    assert brokers.requests == [
        ("1", {KEY: ("SET", "16"), "log.roll.ms": ("SET", "1")}, False),
        ("2", {KEY: ("DELETE", None)}, False),
    ]


def test_rejection_names_brokers_key_value_and_reason():
    brokers = Brokers(b1=8, b2=8, b3=8)
    steps = [step(1, "64"), step(1, "1", "log.roll.ms"), step(2, "64"), step(3, "16")]
    assert connection(brokers).change(steps, dry=True) == [
        f"{KEY} = 64 (now 8) is rejected by broker 1, 2: should not be greater than double"
    ]
    assert brokers.values == {"1": 8, "2": 8, "3": 8}


def test_keys_rejected_only_in_combination_are_named_together():
    class Rejecting(Brokers):
        def alter_configs(self, resources, **_):
            many = len(resources[0].configs) > 1
            return {"broker": {resources[0].name: "these do not fit" if many else "OK"}}

    steps = [step(1, "9"), step(1, None, "log.roll.ms")]
    assert connection(Rejecting(b1=8)).change(steps, dry=True) == [
        f"{KEY} = 9 (now 8); log.roll.ms = (default) (now 8) is rejected by broker 1: "
        "these do not fit"
    ]


def test_wait_ends_when_values_are_effective():
    assert connection(Brokers(b1=16)).wait_until_effective([Spec(1, {KEY: "16"})]) == []


def test_values_without_effect_are_named_at_the_deadline():
    made = connection(Brokers(b1=8))
    made.deadline = Deadline(0.2)
    assert made.wait_until_effective([Spec(1, {KEY: "16"})]) == [
        f"broker 1: {KEY} 8 -> 16, no restart: was applied but is not effective"
    ]


def test_unresponsive_broker_is_named_at_the_deadline():
    made = connection(Brokers())
    made.deadline = Deadline(0.2)
    with pytest.raises(broker_configs.ClusterError, match="broker 1 does not respond"):
        made.wait_until_effective([Spec(1, {KEY: "16"})])


def test_closed_connection_is_retried():
    class Closing(Brokers):
        """A broker that closes the first connection, as after a change of network threads."""

        closed = False

        def describe_configs(self, resources, **more):
            if not self.closed:
                self.closed = True
                raise ConnectionError("socket disconnected")
            return super().describe_configs(resources, **more)

    assert connection(Closing(b1=16)).wait_until_effective([Spec(1, {KEY: "16"})]) == []


LISTENER = "listener.name.clients.max.connections"


class Limited(Brokers):
    """A broker with a limit of one listener, listed as read-only."""

    def describe_configs(self, resources, **more):
        response = super().describe_configs(resources, **more)
        of_file = described("900", (LISTENER, "900", FROM_FILE), read_only=True)
        for keys in response["broker"].values():
            keys.update({LISTENER: of_file, "log.dirs": described("/data", read_only=True)})
        return response


def test_effective_values_include_limits_of_listeners():
    """So a run detects a limit that was changed by hand."""
    made = connection(Limited(b1=8))
    made.known_brokers = lambda: [1]
    found = converge(made, [], [], True, False, True)
    assert found["effective"] == {KEY: {"1": "8"}, LISTENER: {"1": "900"}}
