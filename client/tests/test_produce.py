import errno
import io
import itertools
import os
import re
import signal
import subprocess
import sys

import pytest
from kafka_fakes import Error, Producer
from kafka_metal_client import brokers, cli
from kafka_metal_client import produce as producing
from kafka_metal_client.brokers import missing_topic
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.options import program
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.produce import (
    Options,
    SendResult,
    check_record_sizes,
    keep_rest,
    open_reader,
    send,
    validate,
)
from kafka_metal_client.progress import Progress
from kafka_metal_client.sizes import Limit
from kafka_metal_client.terminal import escape_unprintable

DEFAULT = Limit()


@pytest.fixture
def flights(tmp_path):
    path = tmp_path / "flights.csv"
    path.write_text("flight,origin\n" + "".join(f"{n},JFK\n" for n in range(500)))
    return path


def sent_by(
    producer, path, options=None, limit=DEFAULT, later=None, progress=None, stopped=lambda: False
):
    reader = open_reader(path, options or Options())
    check = validate(path, reader)
    check_record_sizes(path, check, limit)
    progress = progress or Progress(io.StringIO())
    delivery = Delivery(lambda: producer, "flights", later or limit)
    return send(delivery, reader, Pacer(0, 0), check.records, progress, stopped)


def test_each_row_is_sent_once_and_acknowledged(flights):
    producer = Producer(room=7)
    result = sent_by(producer, flights, Options(key="flight"))
    assert (result.sent, result.acknowledged, result.failed) == (500, 500, 0)
    assert [record.key() for record in producer.log] == [str(n).encode() for n in range(500)]
    assert producer.log[3].value() == b'{"flight":3,"origin":"JFK"}'


def test_failed_records_are_counted_with_first_line(flights):
    producer = Producer()
    producer.fate = lambda number, message: Error("too late") if number in (5, 6) else None
    result = sent_by(producer, flights)
    assert (result.acknowledged, result.failures) == (498, {"too late": (2, 7)})


def test_rest_file_has_the_unacknowledged_records(flights):
    producer = Producer()
    producer.fate = lambda number, message: Error("too late") if number in (5, 6) else None
    result = sent_by(producer, flights, Options(key="flight"))
    rest = keep_rest(flights, open_reader_checked(flights), result)
    assert rest.name == "flights.csv.rest.jsonl"
    again = Producer()
    assert sent_by(again, rest, Options(key="flight")).acknowledged == 2
    assert [record.key() for record in again.log] == [b"5", b"6"]


@pytest.mark.parametrize("values", [["1.10", "2.50"], ["TRUE", "false"], ["01", 'a"b']])
def test_the_rest_of_a_file_has_the_keys_of_the_file(tmp_path, values):
    path = tmp_path / "keys.csv"
    quoted = ['"' + each.replace('"', '""') + '"' for each in values]
    path.write_text("\n".join(["id", *quoted]) + "\n")
    options = Options(key="id")
    first = Producer()
    sent_by(first, path, options)
    failed = Producer()
    failed.fate = lambda number, message: Error("too late")
    rest = keep_rest(path, open_reader_checked(path, "id"), sent_by(failed, path, options))
    again = Producer()
    sent_by(again, rest, options)
    assert [each.key() for each in again.log] == [each.key() for each in first.log]


@pytest.mark.parametrize("path", ["/repo/.venv/bin/kafka-metal", ".venv/bin/kafka-metal"])
def test_printed_commands_start_the_client_as_it_was_started(monkeypatch, path):
    monkeypatch.setattr("sys.argv", [path, "produce"])
    assert program() == path
    monkeypatch.setattr("sys.argv", ["/usr/lib/pytest", "-q"])
    assert program() == "kafka-metal"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_the_records_that_failed_or_were_not_sent(
    flights, monkeypatch, capsys, number
):
    class Stopped(Producer):
        def produce(self, topic, **record):
            super().produce(topic, **record)
            if len(self.log) == 100:
                signal.raise_signal(number)

    producer, again = Stopped(), Producer()
    producer.fate = lambda index, _: Error("too late") if index in (7, 99) else None
    monkeypatch.setattr(brokers, "producer", lambda *_, **__: producer)
    monkeypatch.setattr(brokers, "read_partitions", lambda *_: {})
    monkeypatch.setattr(producing, "read_limit", lambda *_: DEFAULT)
    before = signal.getsignal(number)

    assert cli.main(arguments(flights, "--key", "flight", "--rate", "1e6")) == 1
    assert signal.getsignal(number) is before
    rest = flights.with_name("flights.csv.rest.jsonl")
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        f"98 acknowledged, 2 not, 400 not sent; these are in {rest}",
        "after fixing the cause, run: kafka-metal produce --bootstrap 127.0.0.1:1 --topic t "
        f"--key flight --rate 1000000.0 {rest}",
    ]
    assert sent_by(again, rest, Options(key="flight")).acknowledged == 402
    assert [int(record.key()) for record in again.log] == [7, *range(99, 500)]


def test_a_rest_that_cannot_be_written_is_described_by_its_lines(
    flights, monkeypatch, capsys, tmp_path
):
    class Stopped(Producer):
        def produce(self, topic, **record):
            super().produce(topic, **record)
            if len(self.log) == 100:
                signal.raise_signal(signal.SIGTERM)

    producer = Stopped()
    producer.fate = lambda index, _: Error("too late") if index in (7, 99) else None
    monkeypatch.setattr(brokers, "producer", lambda *_, **__: producer)
    monkeypatch.setattr(brokers, "read_partitions", lambda *_: {})
    monkeypatch.setattr(producing, "read_limit", lambda *_: DEFAULT)
    monkeypatch.setattr(producing.tempfile, "gettempdir", lambda: str(tmp_path / "absent"))
    # The first directory is full, the other one does not exist.
    full = flights.with_name("flights.csv.rest.jsonl")
    full.symlink_to("/dev/full")

    assert cli.main(arguments(flights, "--key", "flight", "--rate", "1e6")) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-5].startswith("sent 100 to t, acknowledged 98 in ")
    assert lines[-3].startswith("98 acknowledged, 2 not, 400 not sent. They could not be saved: ")
    assert "No space left on device" in lines[-3]
    assert re.search("absent/[^/]+-flights.csv.rest.jsonl", lines[-3])
    assert lines[-2:] == [
        f"not acknowledged or not sent in {flights}: line 9, line 101, all after line 101",
        "copy these lines to a new file, with the header of a CSV, and send that file",
    ]
    assert not full.is_symlink()


@pytest.mark.parametrize(
    "text", ["flight\n" + "7\n" * 20, "flight,delay,tail,date,n\n" + "1,2,3,4,5,6\n" * 2_000, None]
)
def test_a_file_that_changes_while_it_is_sent_has_no_wrong_rest(
    tmp_path, monkeypatch, capsys, text
):
    file = tmp_path / "many.csv"
    file.write_text("flight,delay,tail,date,n\n" + "1,2,3,4,5\n" * 2_000)

    class Changing(Producer):
        def produce(self, topic, **record):
            super().produce(topic, **record)
            if len(self.log) == 3:
                file.unlink() if text is None else file.write_text(text)
                signal.raise_signal(signal.SIGTERM)

    producer = Changing()
    monkeypatch.setattr(brokers, "producer", lambda *_, **__: producer)
    monkeypatch.setattr(brokers, "read_partitions", lambda *_: {})
    monkeypatch.setattr(producing, "read_limit", lambda *_: DEFAULT)

    assert cli.main(arguments(file)) == 1
    assert "many.csv changed while it was sent" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.rest.jsonl"))


def test_an_invalid_record_of_a_changed_file_ends_the_records(flights):
    reader, producer = open_reader(flights, Options()), Producer()
    validate(flights, reader)
    lines = flights.read_text().splitlines()
    flights.write_text("\n".join([*lines[:11], lines[11] + ",more", *lines[12:]]))
    delivery = Delivery(lambda: producer, "flights", DEFAULT)
    result = send(delivery, reader, Pacer(0, 0), 500, Progress(io.StringIO()), lambda: False)
    assert (result.sent, result.acknowledged) == (10, 10)
    assert result.unread


def test_a_rest_in_the_directory_for_temporary_files_follows_no_link(flights, monkeypatch):
    temporary, victim = flights.parent / "tmp", flights.parent / "victim"
    temporary.mkdir()
    victim.write_text("kept")
    name = "flights.csv.rest.jsonl"
    (temporary / name).symlink_to(victim)
    flights.with_name(name).mkdir()
    monkeypatch.setattr(producing.tempfile, "gettempdir", lambda: str(temporary))
    producer = Producer()
    producer.fate = lambda number, _: Error("too late") if number == 3 else None
    result = sent_by(producer, flights, Options(key="flight"))
    rests = [keep_rest(flights, open_reader_checked(flights), result) for _ in range(2)]
    assert victim.read_text() == "kept"
    assert len({*rests}) == 2
    assert {each.read_text() for each in rests} == {'{"flight":3,"origin":"JFK"}\n'}
    assert {each.stat().st_mode & 0o777 for each in rests} == {0o600}


def test_a_replaced_file_of_the_same_size_and_time_has_no_wrong_rest(flights, monkeypatch, capsys):
    class Changing(Producer):
        def produce(self, topic, **record):
            super().produce(topic, **record)
            if len(self.log) == 3:
                other, before = flights.with_name("other"), flights.stat()
                other.write_text(flights.read_text().replace("JFK", "LHR"))
                os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
                other.replace(flights)
                signal.raise_signal(signal.SIGTERM)

    producer = Changing()
    monkeypatch.setattr(brokers, "producer", lambda *_, **__: producer)
    monkeypatch.setattr(brokers, "read_partitions", lambda *_: {})
    monkeypatch.setattr(producing, "read_limit", lambda *_: DEFAULT)
    assert cli.main(arguments(flights)) == 1
    assert "flights.csv changed while it was sent" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_is_refused(flights, monkeypatch, capsys):
    for path in (flights.with_name("x" * 300 + ".csv"), flights / "in_a_file.csv"):
        assert cli.main(arguments(path, "--dry-run")) == 2
        assert "cannot be read: " in capsys.readouterr().err

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(producing.Path, "open", refuse)
    assert cli.main(arguments(flights, "--dry-run")) == 2
    assert "flights.csv cannot be read: Permission denied" in capsys.readouterr().err


def test_all_records_are_sent_if_nobody_reads_the_progress(flights):
    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    clock = itertools.count(0, 10).__next__
    assert sent_by(Producer(), flights, progress=Progress(Closed(), clock)).acknowledged == 500


def test_output_that_nobody_reads_has_the_documented_exit_code(flights):
    command = [sys.executable, "-c", "import sys; from kafka_metal_client import cli; "
               "sys.exit(cli.main(sys.argv[1:]))", *arguments(flights, "--dry-run")]  # fmt: skip
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_many_lines_of_a_rest_are_counted(flights):
    check = validate(flights, open_reader(flights, Options()))
    sent = SendResult(sent=500, lines=set(range(2, 1_502)), last_line=501)
    assert sent.describe_rest(check).endswith(", line 21, 1,480 more lines")


def test_progress_names_a_stop_and_is_cleared_at_the_end(flights):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen, stops = Terminal(), itertools.count()
    progress = Progress(screen, itertools.count().__next__)
    result = sent_by(Slow(), flights, progress=progress, stopped=lambda: next(stops) > 20)
    assert 0 < result.sent == result.acknowledged < 20
    assert "a second signal ends at once" in screen.getvalue()
    assert screen.getvalue().endswith(" \r")


class Slow(Producer):
    """Acknowledges records only while nobody sends."""

    def poll(self, seconds):
        if seconds:
            super().poll(seconds)


def open_reader_checked(path, key="flight"):
    reader = open_reader(path, Options(key=key))
    validate(path, reader)
    return reader


def test_too_large_record_is_refused_before_sending(tmp_path):
    path = tmp_path / "large.jsonl"
    path.write_text('{"a": 1}\n{"a": "' + "x" * 2000 + '"}\n')
    producer = Producer()
    with pytest.raises(ClientError, match=r"line 2, .*at most 1,000 bytes \(max.message.bytes of"):
        sent_by(producer, path, limit=Limit(1_000, from_topic=True))
    assert producer.log == []
    assert sent_by(producer, path, limit=Limit(5_000_000, from_topic=True)).acknowledged == 2


def test_too_large_record_during_sending_is_counted(tmp_path):
    path = tmp_path / "large.jsonl"
    path.write_text('{"a": 1}\n{"a": "' + "x" * 2000 + '"}\n{"a": 3}\n')
    result = sent_by(Producer(), path, limit=Limit(5_000), later=Limit(1_000))
    assert (result.sent, result.acknowledged, result.lines) == (3, 2, {2})
    assert list(result.failures) == ["larger than the topic's max.message.bytes (1,000)"]


def test_fault_in_last_line_prevents_sending(flights):
    with flights.open("a") as file:
        file.write("1,2,3\n")
    producer = Producer()
    with pytest.raises(ClientError) as error:
        sent_by(producer, flights)
    assert str(error.value) == (
        f"{flights}: line 502, column 5: found a row of 3 fields; allowed is 2 fields, as in the "
        "header\nnothing was sent"
    )
    assert producer.log == []


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("absent.csv", None, "does not exist"),
        ("data.txt", "a\n1\n", "unknown format; allowed are .csv, .tsv"),
        ("empty.jsonl", "\n\n", "has no records"),
        ("only_header.csv", "a,b\n", "has no records"),
    ],
)
def test_error_names_an_invalid_file(tmp_path, name, content, problem):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(ClientError, match=problem) as error:
        validate(path, open_reader(path, Options()))
    assert name in str(error.value)


@pytest.mark.parametrize(
    ("known", "hint"),
    [
        (["payments", "orders"], "did you mean payments?"),
        (["zebra", "__consumer_offsets"], "the cluster has: zebra"),
        (["__consumer_offsets"], "the cluster has no topics"),
    ],
)
def test_missing_topic_error_names_similar_topics(known, hint):
    text = missing_topic("paymets", known)
    assert text.startswith("topic paymets does not exist")
    assert text.endswith(hint)


def arguments(path, *more):
    return ["produce", "--bootstrap", "127.0.0.1:1", "--topic", "t", str(path), *more]


def test_dry_run_prints_schema_and_first_record_without_broker(flights, capsys):
    assert cli.main(arguments(flights, "--dry-run")) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{flights}: 500 records are valid; nothing was sent",
        "format: JSON objects, one per row: a pipeline reads them with source.format json",
        "schema: `flight` BIGINT, `origin` STRING",
        'first record: {"flight":0,"origin":"JFK"}',
    ]


def test_format_of_the_records_is_printed(flights, capsys, monkeypatch):
    result = SendResult(sent=500, acknowledged=500, seconds=1.0)
    check = validate(flights, open_reader(flights, Options()))
    monkeypatch.setattr(producing, "produce_file", lambda *_: (check, result, None))
    assert cli.main(arguments(flights)) == 0
    assert "with source.format json" in capsys.readouterr().out.splitlines()[1]


def test_malformed_file_exits_with_code_2(flights, capsys):
    flights.write_text('a\n"x\n')
    assert cli.main(arguments(flights)) == 2
    assert f"kafka-metal: {flights}: line 2, column 1: found" in capsys.readouterr().err


@pytest.mark.parametrize("option", [("--rate", "-1"), ("--delimiter", "ab"), ("--rate", "nan")])
def test_out_of_range_options_are_refused(flights, option, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments(flights, *option))
    assert "allowed" in capsys.readouterr().err


HOSTILE = (
    "a\x1b[2J\x07.csv",
    "a.csv\nsent 9 to t, acknowledged 9.csv",
    "\x9b2J\u202e.csv",
    "\udcff.csv",
)


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("text", ["a\n1\n", "", "a\n1,2\n", '"a\x1b\nb"\n1\n', "a\nx\u202e\n"])
def test_names_of_files_and_columns_are_printed_escaped(tmp_path, capfd, name, text):
    path = tmp_path / name
    path.write_text(text)
    cli.main(arguments(path, "--dry-run"))
    cli.main(arguments(path, "--dry-run", "--key", "b"))
    printed = "".join(capfd.readouterr())
    assert escape_unprintable(name) in printed
    assert all(line.isprintable() for line in printed.split("\n"))
    assert "\nsent 9" not in printed


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_the_command_for_the_rest_is_printable_and_names_the_file(
    flights, monkeypatch, capsys, name
):
    flights = flights.rename(flights.with_name(name))
    producer = Producer()
    producer.fate = lambda index, _: Error("late\x1b[2J") if index == 7 else None
    monkeypatch.setattr(brokers, "producer", lambda *_, **__: producer)
    monkeypatch.setattr(brokers, "read_partitions", lambda *_: {})
    monkeypatch.setattr(producing, "read_limit", lambda *_: DEFAULT)
    assert cli.main(arguments(flights)) == 1
    printed = capsys.readouterr().out
    assert all(line.isprintable() for line in printed.split("\n"))
    command = printed.splitlines()[-1].partition("--topic t ")[2]
    found = subprocess.run(["bash", "-c", f"printf %s {command}"], capture_output=True).stdout
    assert found == os.fsencode(flights.with_name(f"{name}.rest.jsonl"))
