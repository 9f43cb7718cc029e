"""The commands that this package adds to ``kafka-metal``."""

import pytest
from kafka_fakes import Producer
from kafka_metal_client import brokers, cli
from kafka_metal_client.errors import ClientError
from kafka_metal_reconciliation import commands, ledger

CLUSTER = ["--bootstrap", "127.0.0.1:1"]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["demo", "send", "--ledger", "l.json"], commands.send),
        (["demo", "reconcile", "--ledger", "l.json", "--archive", "a"], commands.reconcile),
        (["ledger", "verify", "--ledger", "l.json"], commands.verify),
    ],
)
def test_kafka_metal_has_the_commands(words, command):
    assert cli.parser().parse_args([*words, *CLUSTER]).command is command


def test_error_exits_with_code_2(tmp_path, capsys):
    missing = tmp_path / "ledger.json"
    assert cli.main(["ledger", "verify", *CLUSTER, "--ledger", str(missing)]) == 2
    assert f"kafka-metal: cannot read the ledger {missing}" in capsys.readouterr().err


def test_invalid_shares_are_refused_before_sending(tmp_path, capsys):
    ledger = tmp_path / "ledger.json"
    shares = ["--fraud-share", "0.9", "--malformed-share", "0.2"]
    assert cli.main(["demo", "send", *CLUSTER, "--ledger", str(ledger), *shares]) == 2
    assert "allowed are shares" in capsys.readouterr().err
    assert not ledger.exists()


@pytest.mark.parametrize("limit", ["inf", "nan", "-5", "0", "1e9"])
def test_time_limits_out_of_range_are_refused(limit, capsys):
    words = ["ledger", "verify", *CLUSTER, "--ledger", "l.json", f"--timeout={limit}"]
    with pytest.raises(SystemExit):
        cli.main(words)
    assert f"{limit}: allowed are seconds above 0, up to 2,147,483" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["inf", "nan", "0", "500.5"])
def test_delivery_timeouts_that_a_producer_cannot_keep_are_refused(limit, capsys):
    words = ["demo", "send", *CLUSTER, "--ledger", "l.json", "--delivery-timeout"]
    assert cli.parser().parse_args([*words, "500"]).delivery_timeout == 500
    with pytest.raises(SystemExit):
        cli.main([*words, limit])
    error = capsys.readouterr().err
    assert f"--delivery-timeout: {limit}: allowed are seconds above 0, up to 500" in error


def test_ledger_is_written_if_the_log_is_unreadable(tmp_path, monkeypatch, capsys):
    connected, asked = [], []

    def connect(*_):
        connected.append(Producer())
        return connected[-1]

    def refused(*_):
        raise ClientError("the password is gone")

    monkeypatch.setattr(brokers, "producer", connect)
    monkeypatch.setattr(brokers, "read_partitions", lambda client, _: asked.append(client))
    monkeypatch.setattr(brokers, "consumer", refused)
    file = tmp_path / "ledger.json"
    words = ["demo", "send", *CLUSTER, "--ledger", str(file), "--count", "40", "--rate", "1000"]

    assert cli.main(words) == 2
    assert "the password is gone" in capsys.readouterr().err
    assert ledger.load(file).acknowledged == 40
    # The producer that sends is also asked for the topic.
    assert asked == connected
