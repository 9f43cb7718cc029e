"""Topics, ACLs and passwords that the compose project creates."""

import json

import pytest
from kafka_metal_client.content import Content, load, missing_names
from kafka_metal_client.errors import ClientError


def test_only_missing_topics_are_created():
    assert missing_names({"b": {}, "a": {}, "c": {}}, {"b", "__consumer_offsets"}) == ["a", "c"]


@pytest.mark.parametrize("text", ["{", "[]"])
def test_error_names_an_unreadable_file(tmp_path, text):
    broken = tmp_path / "content.json"
    broken.write_text(text)
    with pytest.raises(ClientError, match=r"content\.json"):
        load(broken)


def test_error_names_an_unknown_key_and_allowed_keys(tmp_path):
    file = tmp_path / "content.json"
    file.write_text(json.dumps({"topcis": {}}))
    with pytest.raises(ClientError, match="found topcis, allowed are topics, users, acls"):
        load(file)


def test_password_is_set_for_each_mechanism(tmp_path):
    file, passwords = tmp_path / "content.json", tmp_path / "passwords.json"
    users = {
        "demo": {"mechanisms": ["SCRAM-SHA-512", "SCRAM-SHA-256"]},
        "carrier": {"mechanisms": []},
        "operator": {"mechanisms": ["SCRAM-SHA-512"], "iterations": 4096},
    }
    file.write_text(json.dumps({"users": users}))
    passwords.write_text(json.dumps({"demo": "a", "operator": "b"}))

    assert list(load(file, passwords).credentials()) == [
        ("demo", "SCRAM-SHA-512", 8192),
        ("demo", "SCRAM-SHA-256", 8192),
        ("operator", "SCRAM-SHA-512", 4096),
    ]


def test_error_names_a_user_without_password():
    content = Content(users={"demo": {"mechanisms": ["SCRAM-SHA-512"]}}, passwords={"other": "a"})
    with pytest.raises(ClientError, match="user demo"):
        list(content.credentials())
