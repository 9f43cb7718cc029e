"""A replay warns before it sends records that the target deletes or rejects."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from kafka_fakes import Message, Producer
from kafka_metal_client import brokers, cli, commands, replay
from kafka_metal_client.retention import Ages, ages, duration

DAY_MS = 86_400_000
DELETED = {"cleanup.policy": "delete", "retention.ms": str(7 * DAY_MS)}


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (DELETED, Ages(retained=7 * DAY_MS)),
        ({**DELETED, "cleanup.policy": "compact,delete"}, Ages(retained=7 * DAY_MS)),
        ({**DELETED, "cleanup.policy": "compact"}, Ages()),
        ({**DELETED, "retention.ms": "-1"}, Ages()),
        ({**DELETED, "message.timestamp.type": "LogAppendTime"}, Ages()),
        ({"message.timestamp.before.max.ms": "5"}, Ages(accepted=5)),
        ({**DELETED, "message.timestamp.difference.max.ms": "5"}, Ages(7 * DAY_MS, 5)),
        # The user may not describe the config.
        ({}, Ages()),
    ],
)
def test_ages_are_read_from_the_settings_of_the_topic(settings, found):
    assert ages(settings) == found


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(7 * DAY_MS, "7 d"), (36 * 3_600_000, "36 h"), (1_500, "1,500 ms")]
)
def test_duration_is_exact(milliseconds, text):
    assert duration(milliseconds) == text


class Reader:
    """A consumer of a partition with one record per day, of which the last is from today."""

    def __init__(self, days):
        # A second ago, so that no record is exactly as old as a limit.
        today = round(replay.current_time().timestamp() * 1000) - 1000
        self.times = [today - age * DAY_MS for age in reversed(range(days))]

    def list_topics(self, timeout):
        topics = {name: SimpleNamespace(partitions={0: None}) for name in ("payments", "again")}
        return SimpleNamespace(topics=topics)

    def get_watermark_offsets(self, place, timeout):
        return 0, len(self.times)

    def offsets_for_times(self, places, timeout):
        (place,) = places
        later = [offset for offset, moment in enumerate(self.times) if moment >= place.offset]
        return [SimpleNamespace(offset=later[0] if later else -1, error=None)]

    def close(self):
        """Close nothing."""


@pytest.fixture
def run(monkeypatch, capsys):
    """Function that runs a replay; returns the lines of its output and the sent records."""

    def start(settings, *options, days=30):
        reader, producer = Reader(days), Producer()
        records = [
            Message(offset_=offset, timestamp_=moment) for offset, moment in enumerate(reader.times)
        ]

        def read(*_):
            # Everything that was printed before the first record is read.
            print("SENDING")
            return iter(records)

        monkeypatch.setattr(brokers, "consumer", lambda *_: reader)
        monkeypatch.setattr(brokers, "producer", lambda *_: producer)
        monkeypatch.setattr(brokers, "read_ranges", read)
        monkeypatch.setattr(commands, "settings_of", lambda *_: settings)
        arguments = ["--bootstrap=b:1", "--source=payments", "--target=again", *options]
        assert cli.main(["replay", *arguments]) == 0
        return capsys.readouterr().out.splitlines(), producer.log

    return start


def test_records_older_than_the_retention_of_the_target_are_counted_before_sending(run):
    lines, sent = run(DELETED)

    # 7 of the 30 records are younger than 7 days.
    assert lines[1].startswith("warning: 23 of 30 records (77%) are older than the 7 d that again")
    assert "STAMP=now" in lines[2]
    assert lines.index("SENDING") == 3
    assert all(each.timestamp_ for each in sent)


def test_dry_run_warns_too(run):
    lines, sent = run(DELETED, "--dry-run")

    assert lines[1].startswith("warning: 23 of 30")
    assert lines[-1] == "nothing was sent"
    assert sent == []


def test_records_that_brokers_reject_are_named(run):
    lines, _ = run({"message.timestamp.before.max.ms": str(DAY_MS)})

    assert "are older than the 1 d that again accepts: its brokers reject them" in lines[1]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (DELETED, ["--stamp=now"]),
        (DELETED, ["--from=25"]),
        ({**DELETED, "retention.ms": str(round(timedelta(days=60).total_seconds() * 1000))}, []),
        ({}, []),
    ],
)
def test_there_is_no_warning_without_old_records(run, settings, options):
    lines, _ = run(settings, *options)

    assert not [line for line in lines if "older" in line]


def test_stamped_copies_have_the_current_time(run):
    _, sent = run(DELETED, "--stamp=now")

    assert {each.timestamp_ for each in sent} == {0}
