import json

import pytest
from kafka_metal_client.jsonlfile import JsonLines


def write(tmp_path, content):
    path = tmp_path / "f.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_lines_are_sent_unchanged(tmp_path):
    content = '{"a": 1.10, "b": "ü"}\n\n  {"a": null}  \n'
    reader = JsonLines(write(tmp_path, content))
    assert reader.check().records == 2
    assert [(record.line, record.value) for record in reader.records()] == [
        (1, '{"a": 1.10, "b": "ü"}'.encode()),
        (3, b'{"a": null}'),
    ]


def test_schema_is_inferred_from_all_lines(tmp_path):
    lines = [{"a": 1, "b": True}, {"a": 1.5, "c": [1]}, {"b": "x", "d": None}]
    reader = JsonLines(write(tmp_path, "\n".join(map(json.dumps, lines))))
    assert reader.check().columns == {
        "a": "DOUBLE",
        "b": "STRING",
        "c": "ARRAY<BIGINT>",
        "d": "STRING",
    }


def test_keys_are_texts_or_json(tmp_path):
    reader = JsonLines(write(tmp_path, '{"k": "x"}\n{"k": 7}\n{"k": false}\n'), key="k")
    assert not reader.check().faults
    assert [record.key for record in reader.records()] == [b"x", b"7", b"false"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"a" 1}', "column 6: found '1}'; allowed is JSON (expecting ':' delimiter)"),
        ('{"a": tru}', "column 7: found 'tru}'; allowed is JSON (expecting value)"),
        ("{'a': 1}", "column 2: found \"'a': 1}\"; allowed is JSON (expecting property name"),
        ('{"a": 1', "column 8: found the end of the line; allowed is JSON "),
        ('{"a": "x', "column 7: found '\"x' without a closing quote; allowed is a closed text"),
        ('{"a": 1} x', "column 10: found 'x'; allowed is nothing after the JSON object"),
        ("[1]", "column 1: found an array; allowed is a JSON object in each line"),
        (" null", "column 2: found null; allowed is a JSON object in each line"),
        ('{"a": 1, "a": 2}', "column 1: found the name 'a' twice in one object; allowed is each"),
        ('{"a": NaN}', "column 1: found NaN; allowed is "),
        ("[" * 100_000, "column 1: found a value that JSON parsers reject"),
        ('{"a": ' * 101 + "1" + "}" * 101, "column 1: found a value that JSON parsers reject (m"),
        ('{"a": ' + "1" * 5_000 + "}", "column 1: found a value that JSON parsers reject"),
    ],
)  # fmt: skip
def test_fault_names_line_column_and_allowed(tmp_path, line, fault):
    check = JsonLines(write(tmp_path, '{"ok": 1}\n' + line + "\n")).check()
    found = [str(fault) for fault in check.faults]
    assert len(found) == 1
    assert found[0].startswith("line 2, " + fault)


def test_fault_names_invalid_bytes(tmp_path):
    check = JsonLines(write(tmp_path, b'{"a": 1}\n{"a": "\xff"}\n')).check()
    assert str(check.faults[0]).startswith("line 2, column 8: found the byte 0xff")


@pytest.mark.parametrize("line", ['{"a": 1}', '{"k": null}', '{"k": [1]}'])
def test_line_without_usable_key_is_a_fault(tmp_path, line):
    check = JsonLines(write(tmp_path, '{"k": 1}\n' + line), key="k").check()
    assert [(fault.line, fault.column) for fault in check.faults] == [(2, 1)]


def test_up_to_ten_faults_are_collected(tmp_path):
    assert len(JsonLines(write(tmp_path, "x\n" * 30)).check().faults) == 10


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (r'{"id": "\ud800"}', 9),
        (r'{"id": "a", "\uDFFF": 1}', 14),
        (r'{"id": 1, "list": [["\udc00\ud800"]]}', 22),
    ],
)
@pytest.mark.parametrize("key", [None, "id"])
def test_lone_surrogate_is_refused_with_its_place(tmp_path, line, column, key):
    """Readers replace it by '?', so that two ids could become equal."""
    path = tmp_path / "ids.jsonl"
    path.write_text(r'{"id": "\ud83d\ude00"}' + f"\n{line}\n")
    check = JsonLines(path, key).check()
    assert check.records == 1
    (fault,) = check.faults
    assert (fault.line, fault.column) == (2, column)
    assert fault.found.startswith("half a surrogate pair")
