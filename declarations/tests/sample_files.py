"""Test files: valid, broken and generated CSV and JSON Lines.

Used to test each reader of files and the pipeline's own parser.
"""

import gzip
import json
import random

# Name, content, schema, records.
ValidFile = tuple[str, bytes, str, int]

VALID: dict[str, ValidFile] = {
    "simple": ("s.csv", b"a,b,c\n1,2.5,x\n", "a BIGINT, b DOUBLE, c STRING", 1),
    "line ends of Windows": ("s.csv", b"a,b\r\n1,x\r\n", "a BIGINT, b STRING", 1),
    "no end of the last line": ("s.csv", b"a\n1\n2", "a BIGINT", 2),
    "a byte order mark": ("s.csv", b"\xef\xbb\xbfa,b\n1,x\n", "a BIGINT, b STRING", 1),
    "a comma in quotes": ("s.csv", b'a,b\n"x,y",1\n', "a STRING, b BIGINT", 1),
    "quotes in quotes": ("s.csv", b'a,b\n"say ""no""",1\n', "a STRING, b BIGINT", 1),
    "breaks in quotes": ("s.csv", b'a,b\n"x\ny",1\n"x\r\ny",2\n', "a STRING, b BIGINT", 2),
    "quotes and breaks": ("s.csv", b'a,b\n"say\n""no""",1\n', "a STRING, b BIGINT", 1),
    "JSON inside": ("s.csv", b'a,b\n1,"{""x"": [1, 2]}"\n', "a BIGINT, b STRING", 1),
    "empty fields": ("s.csv", b'a,b,c\n1,,""\n,2,\n', "a BIGINT, b BIGINT, c STRING", 2),
    "blank lines": ("s.csv", b"a,b\n\n1,2\n\n\n3,4\n\n", "a BIGINT, b BIGINT", 2),
    "non-ASCII letters": ("s.csv", "ä,名\n1,ʤ\n".encode(), "ä BIGINT, 名 STRING", 1),
    "digits of another script": ("s.csv", "a\n1٣\n".encode(), "a STRING", 1),
    "spaces around names": ("s.csv", b" a ,b\n 1,2\n", "` a ` STRING, b BIGINT", 1),
    "odd names": ("s.csv", b'a b,"x`y",a.b\n1,2,3\n', "`a b` BIGINT, `x``y` BIGINT, a.b BIGINT", 1),
    "tabs": ("s.tsv", b"a\tb\n1\tx,y\n", "a BIGINT, b STRING", 1),
    "gzip": ("s.csv.gz", gzip.compress(b"a\n1\n"), "a BIGINT", 1),
    "gzip with tabs": ("S.TSV.GZ", gzip.compress(b"a\tb\n1\t2\n"), "a BIGINT, b BIGINT", 1),
    "a long field": ("s.csv", b"a,b\n1," + b"x" * 200_000 + b"\n", "a BIGINT, b STRING", 1),
    "ids of 20 digits": (
        "s.csv",
        b"a\n12345678901234567890\n12345678901234567891\n",
        "a STRING",
        2,
    ),
    "ids that a DOUBLE rounds": (
        "s.csv",
        b"a,b\n9007199254740993,9007199254740993\n1,0.5\n",
        "a BIGINT, b STRING",
        2,
    ),
    "large BIGINTs": (
        "s.csv",
        b"a\n9223372036854775807\n-9223372036854775807\n",
        "a BIGINT",
        2,
    ),
    "a number beyond DOUBLE": ("s.csv", b"a\n1e999\n", "a STRING", 1),
    "codes": ("s.csv", b"a,b,c\n007,+1,0x1F\n", "a STRING, b STRING, c STRING", 1),
    "likely null texts": ("s.csv", b"a,b\nNA,NaN\n1,1\n", "a STRING, b STRING", 2),
    "booleans": ("s.csv", b"a,b\ntrue,True\nFALSE,yes\n", "a BOOLEAN, b STRING", 2),
    "days": ("s.csv", b"a\n2026-05-01\n2024-02-29\n", "a DATE", 2),
    "days and times": (
        "s.csv",
        b"a,b\n2026-05-01T12:00:00Z,2026-05-01 12:00\n"
        b"2026-05-01,2026-05-01T12:00:00.123456789+02:00\n",
        "a TIMESTAMP, b TIMESTAMP",
        2,
    ),
    "invalid days": ("s.csv", b"a,b\n2026-02-30,0000-01-01\n", "a STRING, b STRING", 1),
    "invalid times": (
        "s.csv",
        b"a,b\n2026-05-01T24:01:00,2026-05-01T12:00+19:00\n",
        "a STRING, b STRING",
        1,
    ),
    "objects": (
        "s.jsonl",
        b'{"a": 1, "b": "x"}\n{"a": 2.5, "c": true}\n',
        "a DOUBLE, b STRING, c BOOLEAN",
        2,
    ),
    "objects in .ndjson": ("s.ndjson", b'{"a": 1}\n', "a BIGINT", 1),
    "objects in gzip": ("s.json.gz", gzip.compress(b'{"a": 1}\n'), "a BIGINT", 1),
    "blank lines between objects": ("s.jsonl", b'\n {"a": 1} \n\n{"a": 2}', "a BIGINT", 2),
    "values of all kinds": (
        "s.jsonl",
        b'{"a": "", "b": 0, "c": -0.5e-3, "d": false, "e": null, "f": [], "g": {}}\n',
        "a STRING, b BIGINT, c DOUBLE, d BOOLEAN, e STRING, f ARRAY<STRING>, g STRING",
        1,
    ),
    "nested values": (
        "s.jsonl",
        b'{"a": {"x": [1, 2.5]}, "b": [{"y": "t"}, {"z": null}]}\n',
        "a STRUCT<`x`: ARRAY<DOUBLE>>, b ARRAY<STRUCT<`y`: STRING, `z`: STRING>>",
        1,
    ),
    "ids of 20 digits as numbers": (
        "s.jsonl",
        b'{"a": 12345678901234567890, "b": 12345678901234567890}\n{"b": 0.5}\n',
        "a DECIMAL(38,0), b STRING",
        2,
    ),
    "numbers that a DOUBLE rounds": (
        "s.jsonl",
        b'{"a": 9007199254740993}\n{"a": 0.5}\n',
        "a STRING",
        2,
    ),
    "a number of 100 digits": ("s.jsonl", b'{"a": ' + b"1" * 100 + b"}\n", "a STRING", 1),
    "an infinite amount": ("s.jsonl", b'{"a": 1e999}\n', "a STRING", 1),
    "escapes": (
        "s.jsonl",
        rb'{"a": "\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00", "\u0062": 1}' + b"\n",
        "a STRING, b BIGINT",
        1,
    ),
    "the maximum depth": (
        "s.jsonl",
        b'{"a": ' + b"[" * 99 + b"]" * 99 + b"}\n",
        "a " + "ARRAY<" * 99 + "STRING" + ">" * 99,
        1,
    ),
}

# Name, content, and the beginning of the error.
BROKEN: dict[str, tuple[str, bytes, str]] = {
    "an open quote": ("b.csv", b'a,b\n1,"x\n', "line 2, column 3"),
    "text after a quote": ("b.csv", b'a,b\n1,"x"y\n', "line 2, column 6"),
    "a row that is short": ("b.csv", b"a,b\n1,2\n3\n", "line 3, column 2"),
    "a row that is long": ("b.csv", b"a,b\n1,2,3\n", "line 2, column 5"),
    "a column without a name": ("b.csv", b"a,,c\n1,2,3\n", "line 1, column 3"),
    "a name for two columns": ("b.csv", b"a,b,a\n1,2,3\n", "line 1, column 5"),
    "an empty file": ("b.csv", b"", "line 1, column 1"),
    "a semicolon between columns": ("b.csv", b"a;b\n1;2\n", "line 1, column 2"),
    "tabs in a CSV": ("b.csv", b"a\tb\n1\t2\n", "line 1, column 2"),
    "carriage returns as line ends": ("b.csv", b"a,b\r1,2\r", "line 1, column 4"),
    "invalid UTF-8": ("b.csv", b"a\n\xff\n", "line 2, column 1"),
    "truncated gzip": ("b.csv.gz", gzip.compress(b"a\n1\n")[:12], "line 1, column 1"),
    "a lone surrogate": ("b.jsonl", rb'{"a": "\ud800"}', "line 1, column 8"),
    "raw bytes of a lone surrogate": ("b.jsonl", b'{"a": "\xed\xa0\x80"}', "line 1, column 8"),
    "a list": ("b.jsonl", b'{"a": 1}\n[1]\n', "line 2, column 1"),
    "two objects in a line": ("b.jsonl", b'{"a": 1}{"a": 2}\n', "line 1, column 9"),
    "one object on several lines": ("b.json", b'{\n  "a": 1\n}\n', "line 1, column 2"),
    "a name twice": ("b.jsonl", b'{"a": 1, "a": 2}\n', "line 1, column 1"),
    "a name twice inside": ("b.jsonl", b'{"a": [{"b": 1, "b": 1}]}\n', "line 1, column 1"),
    "NaN": ("b.jsonl", b'{"a": NaN}\n', "line 1, column 1"),
    "infinity": ("b.jsonl", b'{"a": -Infinity}\n', "line 1, column 1"),
    "single quotes": ("b.jsonl", b"{'a': 1}\n", "line 1, column 2"),
    "names without quotes": ("b.jsonl", b"{a: 1}\n", "line 1, column 2"),
    "a comma at the end": ("b.jsonl", b'{"a": 1,}\n', "line 1, column 8"),
    "a double comma": ("b.jsonl", b'{"a": [1,,2]}\n', "line 1, column 10"),
    "a zero in front": ("b.jsonl", b'{"a": 01}\n', "line 1, column 8"),
    "a plus in front": ("b.jsonl", b'{"a": +1}\n', "line 1, column 7"),
    "a point in front": ("b.jsonl", b'{"a": .5}\n', "line 1, column 7"),
    "an invalid escape": ("b.jsonl", rb'{"a": "\x41"}' + b"\n", "line 1, column 8"),
    "a tab in a text": ("b.jsonl", b'{"a": "x\ty"}\n', "line 1, column 9"),
    "a comment": ("b.jsonl", b'{"a": 1} // one\n', "line 1, column 10"),
    "an unclosed object": ("b.jsonl", b'{"a": 1', "line 1, column 8"),
    "unclosed brackets": ("b.jsonl", b"[" * 100_000, "line 1, column 1"),
    "too many levels": (
        "b.jsonl",
        b'{"a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        "line 1, column 1",
    ),
    "a number of 10,000 digits": ("b.jsonl", b'{"a": ' + b"9" * 10_000 + b"}", "line 1, column 1"),
}

_TEXTS = (
    *("", "x", " y ", "007", "NA", "-", "true", "2026-05-01", "2026-05-01T12:00:00Z", "1,5"),
    *('say "no"', "two\nlines", "ä 名 😀", "{}", "\\", "2026-13-01", "12345678901234567890"),
)
_NUMBERS = (
    *("0", "-7", "42", "1.10", "-0.5", "1e3", "2.5E-7", "9007199254740993", "9223372036854775807"),
    *("9223372036854775808", "12345678901234567891", "1e999", "123456789012345678901234567890.5"),
)
_FAMILIES = (
    _TEXTS,
    _NUMBERS[:3],
    _NUMBERS[:7],
    _NUMBERS,
    ("true", "false"),
    ("2026-05-01", "2024-02-29"),
    ("2026-05-01", "2026-05-01T12:00:00+02:00", "2026-05-01 12:00:00.5"),
    (*_TEXTS, *_NUMBERS),
)


def generated(seed: int) -> tuple[str, bytes]:
    """Name and content of a valid file, the same for the same seed."""
    draw = random.Random(seed)
    names = draw.sample(["id", "a b", "ä", "x`y", "from", "a.b", "Amount", "at", "'q'"], k=4)
    families = [draw.choice(_FAMILIES) for _ in names]
    rows = [[draw.choice(family) for family in families] for _ in range(draw.randint(1, 30))]
    suffix = draw.choice([".csv", ".tsv", ".jsonl"])
    if suffix == ".jsonl":
        lines = [_object(draw, names, row) for row in rows]
    else:
        lines = [_row(draw, row, "\t" if suffix == ".tsv" else ",") for row in (names, *rows)]
    content = draw.choice(["\n", "\r\n"]).join(lines).encode()
    if draw.random() < 0.2:
        content = b"\xef\xbb\xbf" + content
    is_packed = draw.random() < 0.2
    return f"g{suffix}{'.gz' * is_packed}", gzip.compress(content) if is_packed else content


def _row(draw: random.Random, fields: list[str], delimiter: str) -> str:
    def written(text: str) -> str:
        if draw.random() < 0.3 or any(sign in text for sign in f'\r\n"{delimiter}'):
            return '"' + text.replace('"', '""') + '"'
        return text

    return delimiter.join(map(written, fields))


def _object(draw: random.Random, names: list[str], row: list[str]) -> str:
    members = [
        f"{json.dumps(name)}: {_member(draw, text)}"
        for name, text in zip(names, row, strict=True)
        if draw.random() < 0.9
    ]
    return "{" + ", ".join(members) + "}"


def _member(draw: random.Random, text: str) -> str:
    if draw.random() < 0.1:
        return draw.choice(["null", "[]", '[1, null, "x"]', '{"x": 1}', '{"y": {"z": [0.5]}}'])
    is_bare = text in _NUMBERS or text in ("true", "false")
    return text if is_bare else json.dumps(text, ensure_ascii=draw.random() < 0.5)
