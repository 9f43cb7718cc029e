"""Topics that a compose project makes for itself."""

import pytest
from kafka_metal_client.errors import ClientError
from kafka_metal_client.topics import load, missing


def test_only_topics_that_are_not_there_are_made():
    assert missing({"b": {}, "a": {}, "c": {}}, {"b", "__consumer_offsets"}) == ["a", "c"]


def test_an_unreadable_file_is_named(tmp_path):
    broken = tmp_path / "topics.json"
    broken.write_text("{")
    with pytest.raises(ClientError, match=r"topics\.json"):
        load(broken)
