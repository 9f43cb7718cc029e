import threading

import pytest
from kafka_metal_watch.cli import ConfigError, config_of, content_of, wait_for_change

KAFKA = {"bootstrap.servers": "h:9092"}


def test_what_a_configuration_does_not_say_has_a_default():
    config = config_of("exporter", {"listen": "127.0.0.1:9308", "kafka": KAFKA})
    assert (config["interval"], config["pipelines"]) == (15, {})
    assert config_of("probe", {"listen": "h:1", "kafka": KAFKA})["topic"] == "kafka-metal-probe"


@pytest.mark.parametrize(
    ("role", "found", "blocker"),
    [
        ("probe", {"kafka": KAFKA}, "listen: is missing"),
        ("probe", {"listen": "h:1", "kafka": KAFKA, "exclude": "x"}, "exclude: no key of probe"),
        (
            "exporter",
            {"listen": "h:1", "kafka": KAFKA, "certificates": ["h:9092"]},
            "certificates: need ca_file",
        ),
    ],
)
def test_a_configuration_that_cannot_be_names_its_key(role, found, blocker):
    with pytest.raises(ConfigError, match=blocker):
        config_of(role, found)


def test_a_new_password_is_noticed(tmp_path):
    (tmp_path / "watch.json").write_text("old")
    known = content_of(tmp_path)
    (tmp_path / "watch.json").write_text("new")
    assert wait_for_change(tmp_path, known, threading.Event(), every=0.01)


def test_a_program_that_is_to_end_notices_nothing(tmp_path):
    (tmp_path / "watch.json").write_text("old")
    ended = threading.Event()
    ended.set()
    assert not wait_for_change(tmp_path, {}, ended, every=0.01)
