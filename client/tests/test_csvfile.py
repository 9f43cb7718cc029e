import gzip
import json

import pytest
from kafka_metal_client.csvfile import CsvFile
from kafka_metal_client.errors import ClientError
from kafka_metal_client.sizes import batch_bytes

GOOD = (
    "id,carrier,delay,share,late,note\n"
    '1,UA,-3,0.50,true,"said ""no"", twice"\n'
    "2,AA,11,2,FALSE,\n"
    '3,007,,1e3,true,"two\nlines"\n'
)


def write(tmp_path, content, name="f.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def values(reader):
    reader.check()
    return [json.loads(record.value) for record in reader.records()]


def faults(tmp_path, content, **options):
    return [str(fault) for fault in CsvFile(write(tmp_path, content), **options).check().faults]


def test_rows_become_objects_with_column_types(tmp_path):
    reader = CsvFile(write(tmp_path, GOOD))
    assert reader.check().columns == {
        "id": "BIGINT",
        "carrier": "STRING",
        "delay": "BIGINT",
        "share": "DOUBLE",
        "late": "BOOLEAN",
        "note": "STRING",
    }
    assert values(reader) == [
        {"id": 1, "carrier": "UA", "delay": -3, "share": 0.5, "late": True,
         "note": 'said "no", twice'},
        {"id": 2, "carrier": "AA", "delay": 11, "share": 2, "late": False, "note": None},
        {"id": 3, "carrier": "007", "delay": None, "share": 1000.0, "late": True,
         "note": "two\nlines"},
    ]  # fmt: skip


def test_records_have_the_line_they_begin_in(tmp_path):
    reader = CsvFile(write(tmp_path, 'a,b\n1,\'x\n\n2,"y\nz"\n3,w\n'))
    reader.check()
    assert [record.line for record in reader.records()] == [2, 4, 6]


def test_numbers_keep_their_digits(tmp_path):
    reader = CsvFile(write(tmp_path, "a\n1.10\n12345678901234567890.5\n"))
    reader.check()
    assert [record.value for record in reader.records()] == [
        b'{"a":1.10}',
        b'{"a":12345678901234567890.5}',
    ]


@pytest.mark.parametrize(
    "text",
    ["007", "+1", "1,5", ".5", "5.", "0x1F", "NaN", "inf", "1_000", " 1", "yes",
     "9223372036854775808"],
)  # fmt: skip
def test_ambiguous_numbers_stay_text(tmp_path, text):
    assert values(CsvFile(write(tmp_path, f'a\n"{text}"\n'))) == [{"a": text}]


def test_one_text_makes_the_column_text(tmp_path):
    assert values(CsvFile(write(tmp_path, "a\n1\nx\n2\n"))) == [{"a": "1"}, {"a": "x"}, {"a": "2"}]


def test_null_text_can_be_set(tmp_path):
    path = write(tmp_path, "a,b\n1,NA\nNA,x\n")
    assert values(CsvFile(path, null="NA")) == [{"a": 1, "b": None}, {"a": None, "b": "x"}]


def test_likely_null_text_stays_text_with_a_hint(tmp_path):
    check = CsvFile(write(tmp_path, "a,b\n1,NA\nNA,x\n")).check()
    assert check.columns == {"a": "STRING", "b": "STRING"}
    assert check.hints == ["column a is a text only because of 'NA'; with --null NA it is a BIGINT"]


def test_key_is_the_text_of_its_column(tmp_path):
    reader = CsvFile(write(tmp_path, "id,b\n007,x\n8,y\n"), key="id")
    reader.check()
    assert [record.key for record in reader.records()] == [b"007", b"8"]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("plain.csv", lambda data: data),
        ("packed.csv.gz", gzip.compress),
        ("mark.csv", lambda data: b"\xef\xbb\xbf" + data),
        ("windows.csv", lambda data: data.replace(b"\n", b"\r\n")),
    ],
)
def test_gzip_byte_order_mark_and_line_ends_are_accepted(tmp_path, name, change):
    path = write(tmp_path, change(b"a,b\n1,x\n"), name)
    assert values(CsvFile(path)) == [{"a": 1, "b": "x"}]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "line 1, column 1: found an empty file; allowed is a header line with the names of "
             "the columns"),
        ("a,,c\n", "line 1, column 3: found a column without a name; allowed is a name for each "
                   "column"),
        ("a,b,a\n", "line 1, column 5: found the column name 'a' for a second time; allowed is "
                    "each name once"),
        ("a;b\n1;2\n", "line 1, column 2: found a semicolon in the only column's name; allowed is "
                       "columns split by ','; see --delimiter"),
        ("a,b\n1,2\n1,2,3\n", "line 3, column 5: found a row of 3 fields; allowed is 2 fields, as "
                              "in the header"),
        ("a,b\n1\n", "line 2, column 2: found a row of 1 fields; allowed is 2 fields, as in the "
                     "header"),
        ('a,b\n"1\n\n2",x\n1\n', "line 5, column 2: found a row of 1 fields; allowed is 2 fields, "
                                 "as in the header"),
        ('a,b\n1,"x"y\n', "line 2, column 6: found 'y'; allowed is a delimiter or the line's end "
                          "after a closing quote"),
        ('a,b\n1,2\n3,"open\n4,5\n', "line 3, column 3: found '\"open' without a closing quote; "
                                     "allowed is a closed text; a quote inside is written twice"),
        ("a,b\n1,x\ry\n", "line 2, column 4: found a carriage return inside a line; allowed is "
                          "lines that end in LF or CR LF"),
        (b"a,b\n1,\xc3\xa9\xff\n", "line 2, column 4: found the byte 0xff; allowed is text in "
                                   "UTF-8"),
    ],
)  # fmt: skip
def test_fault_names_line_column_and_allowed(tmp_path, content, fault):
    assert faults(tmp_path, content) == [fault]


def test_up_to_ten_rows_of_wrong_width_are_reported(tmp_path):
    assert len(faults(tmp_path, "a,b\n1\n1,2\n1,2,3\n")) == 2
    assert len(faults(tmp_path, "a,b\n" + "1\n" * 50)) == 10


def test_fault_names_place_of_missing_key_value(tmp_path):
    assert faults(tmp_path, "a,id\nx,1\ny,\n", key="id") == [
        "line 3, column 3: found no value in key column id; allowed is a value"
    ]


def test_unknown_key_column_is_refused_with_similar_names(tmp_path):
    path = write(tmp_path, "paymentId,amount\n1,2\n")
    with pytest.raises(ClientError, match=r"no field paymentid .* did you mean paymentId"):
        CsvFile(path, key="paymentid").check()


def test_unclosed_quote_is_found_without_reading_the_whole_file(tmp_path):
    content = 'a,b\n1,"open\n' + "2,x\n" * 500_000
    assert faults(tmp_path, content)[0].startswith("line 2, column 3: found '\"open'")


def test_truncated_gzip_file_is_refused(tmp_path):
    whole = gzip.compress(b"a,b\n" + b"1,x\n" * 10_000)
    found = faults(tmp_path, whole[: len(whole) // 2])
    assert "damaged gzip data" in found[0]


@pytest.mark.parametrize("key", [None, "b"])
def test_largest_record_is_measured_as_by_a_broker(tmp_path, key):
    path = tmp_path / "large.csv"
    path.write_text(f"a,b\n1,{'x' * 3}\n2,{'y' * 900_000}\n3,{'z' * 899_000}\n")
    reader = CsvFile(path, key)
    check = reader.check()
    size, line = check.largest
    assert line == 3
    (record,) = [each for each in reader.records() if each.line == line]
    # Numbers are sent without quotes, so the measured size is an upper bound.
    assert 0 <= size - batch_bytes(record.key, record.value) <= 2
