"""Signals that stop a command which sends records."""

import signal

import pytest
from kafka_metal_client import cli, commands
from kafka_metal_client.stop_signal import SIGNALS, stop_signal


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_stops_and_the_second_kills(number):
    before = [signal.getsignal(each) for each in SIGNALS]
    with stop_signal() as stopped:
        assert not stopped()
        signal.raise_signal(number)
        assert stopped()
        assert [signal.getsignal(each) for each in SIGNALS] == [signal.SIG_DFL] * 2
    assert [signal.getsignal(each) for each in SIGNALS] == before


def test_an_interrupted_command_has_no_traceback(monkeypatch, capsys):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "content", interrupted)
    assert cli.main(["content", "--bootstrap", "127.0.0.1:1", "topics.json"]) == 130
    assert capsys.readouterr().err == "kafka-metal: interrupted\n"
