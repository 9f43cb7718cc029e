import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.properties_file import (
    PropertyError,
    from_properties,
    to_properties,
)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, ""),
        ({"b": 1, "a": "x"}, "a=x\nb=1\n"),
        ({"on": True, "off": False}, "off=false\non=true\n"),
        ({"log.dirs": ["/data/1", "/data/2"]}, "log.dirs=/data/1,/data/2\n"),
        ({"flags": [True, 1]}, "flags=true,1\n"),
        ({"gone": None, "kept": ""}, "kept=\n"),
        ({"ratio": 0.5}, "ratio=0.5\n"),
        ({"password": " a=b#c!d:e "}, "password=\\ a=b#c!d:e \n"),
        ({"path": "C:\\x", "two": "a\nb\tc"}, "path=C:\\\\x\ntwo=a\\nb\\tc\n"),
        ({"a key": 1, "#b": 2, "c=d": 3, "e:f": 4}, "\\#b=2\na\\ key=1\nc\\=d=3\ne\\:f=4\n"),
        ({"name": "Zürich \U0001f600"}, "name=Z\\u00fcrich \\ud83d\\ude00\n"),
    ],
)
def test_values_are_written_as_java_reads_them(values, text):
    assert to_properties(values) == text


def test_nested_value_is_an_error_with_its_key():
    with pytest.raises(PropertyError, match=r"^listeners: the value is a mapping"):
        to_properties({"listeners": {"a": 1}})


def test_list_is_an_error():
    with pytest.raises(PropertyError, match="mapping"):
        to_properties(["a"])


def test_written_values_are_read_back():
    values = {
        "a key": " x= y\n",
        "#b": "!v",
        "c=d:e": "C:\\x",
        "name": "Zürich \U0001f600",
        "empty": "",
    }
    assert from_properties(to_properties(values)) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("# a=1\n! b=2\n\n", {}),
        ("  a = 1 \nb:2\nc 3\nd\n", {"a": "1 ", "b": "2", "c": "3", "d": ""}),
        ("a=1\na=2\n", {"a": "2"}),
        ("a=1,\\\n   2\n", {"a": "1,2"}),
        ("a=x\\\\\nb=1\n", {"a": "x\\", "b": "1"}),
        ("a=1\r\nb=2\r\n", {"a": "1", "b": "2"}),
    ],
)
def test_file_is_read_as_java_reads_it(text, values):
    assert from_properties(text) == values
