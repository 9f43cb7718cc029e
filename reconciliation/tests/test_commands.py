"""The commands of ``kafka-metal`` that this package brings."""

import pytest
from kafka_metal_client import cli
from kafka_metal_reconciliation import commands

CLUSTER = ["--bootstrap", "127.0.0.1:1"]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["demo", "send", "--ledger", "l.json"], commands.send),
        (["demo", "reconcile", "--ledger", "l.json", "--archive", "a"], commands.reconcile),
        (["ledger", "verify", "--ledger", "l.json"], commands.verify),
    ],
)
def test_kafka_metal_has_them_among_its_commands(words, command):
    assert cli.parser().parse_args([*words, *CLUSTER]).command is command


def test_an_error_ends_with_code_two_and_one_message(tmp_path, capsys):
    missing = tmp_path / "ledger.json"
    assert cli.main(["ledger", "verify", *CLUSTER, "--ledger", str(missing)]) == 2
    assert f"kafka-metal: cannot read the ledger {missing}" in capsys.readouterr().err


def test_shares_that_do_not_fit_end_before_anything_is_sent(tmp_path, capsys):
    ledger = tmp_path / "ledger.json"
    shares = ["--fraud-share", "0.9", "--malformed-share", "0.2"]
    assert cli.main(["demo", "send", *CLUSTER, "--ledger", str(ledger), *shares]) == 2
    assert "allowed are shares" in capsys.readouterr().err
    assert not ledger.exists()
