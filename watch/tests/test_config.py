import threading

import pytest
from kafka_metal_watch.cli import ConfigError, parse_config, read_files, wait_for_change

KAFKA = {"bootstrap.servers": "h:9092"}


def test_missing_keys_of_exporter_and_probe_get_defaults():
    config = parse_config("exporter", {"listen": "127.0.0.1:9308", "kafka": KAFKA})
    assert (config["interval"], config["pipelines"]) == (15, {})
    assert parse_config("probe", {"listen": "h:1", "kafka": KAFKA})["topic"] == "kafka-metal-probe"


@pytest.mark.parametrize(
    ("role", "found", "blocker"),
    [
        ("probe", {"kafka": KAFKA}, "listen: is missing"),
        (
            "probe",
            {"listen": "h:1", "kafka": KAFKA, "exclude": "x"},
            "exclude: unknown key of probe",
        ),
        (
            "exporter",
            {"listen": "h:1", "kafka": KAFKA, "certificates": ["h:9092"]},
            "certificates: require ca_file",
        ),
    ],
)
def test_errors_name_the_key(role, found, blocker):
    with pytest.raises(ConfigError, match=blocker):
        parse_config(role, found)


def test_a_changed_file_ends_the_wait(tmp_path):
    (tmp_path / "watch.json").write_text("old")
    known = read_files(tmp_path)
    (tmp_path / "watch.json").write_text("new")
    assert wait_for_change(tmp_path, known, threading.Event(), every=0.01)


def test_the_end_of_the_process_ends_the_wait(tmp_path):
    (tmp_path / "watch.json").write_text("old")
    ended = threading.Event()
    ended.set()
    assert not wait_for_change(tmp_path, {}, ended, every=0.01)
