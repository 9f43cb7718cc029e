"""SQL for several databases, and exactly-once writes to a table whenever the driver crashes."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_pipeline.marks import Mark
from kafka_metal_pipeline.upsert import MARKS, Table, dialect, staged_name, upsert_statement


class Rows:
    """A fake DataFrame."""

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self.columns = ["id", "Amount", "_topic", "_partition", "_offset", "_timestamp"]
        self.rows = rows


class Sqlite:
    """A SQLite database."""

    def __init__(self, file: Path) -> None:
        self.connection = sqlite3.connect(file)

    def execute(self, statement: str, *values: Any) -> None:
        self.connection.execute(statement, values)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement, values).fetchall()

    def commit(self) -> None:
        self.connection.commit()

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "db"
    with sqlite3.connect(found) as connection:
        connection.execute('CREATE TABLE paid (id TEXT PRIMARY KEY, "Amount" REAL)')
    return found


def table(file: Path, owner: str = "p/o", connect: Any = Sqlite) -> Table:
    def stage(rows: Rows) -> None:
        with sqlite3.connect(file) as connection:
            connection.execute("DROP TABLE IF EXISTS paid_o_staged")
            connection.execute('CREATE TABLE paid_o_staged (id TEXT, "Amount" REAL)')
            connection.executemany("INSERT INTO paid_o_staged VALUES (?, ?)", rows.rows)

    staged = staged_name("paid", "o")
    return Table("sqlite", "paid", staged, ("id",), owner, lambda: connect(file), stage)


def content(file: Path) -> list[tuple[Any, ...]]:
    return Sqlite(file).rows('SELECT id, "Amount" FROM paid ORDER BY id')


def test_new_keys_are_inserted_and_known_ones_updated(file: Path) -> None:
    target = table(file)
    assert target.mark() is None
    target.write(Rows(("a", 1.0), ("b", 2.0)), Mark("one", 0, "x"))
    target.write(Rows(("b", 3.0), ("c", 4.0)), Mark("one", 1, "y"))
    assert content(file) == [("a", 1.0), ("b", 3.0), ("c", 4.0)]
    assert table(file).mark() == Mark("one", 1, "y")
    assert table(file, "p/other").mark() is None


def test_written_batch_does_not_overwrite_newer_rows(file: Path) -> None:
    target = table(file)
    target.mark()
    target.write(Rows(("a", 1.0)), Mark("one", 0, ""))
    target.write(Rows(("a", 2.0)), Mark("one", 1, ""))
    target.write(Rows(("a", 1.0)), Mark("one", 0, ""))
    assert content(file) == [("a", 2.0)]


@pytest.mark.parametrize("step", ["INSERT INTO paid", "DELETE FROM", f"INSERT INTO {MARKS}"])
def test_crash_at_any_statement_leaves_neither_rows_nor_mark(file: Path, step: str) -> None:
    class Dying(Sqlite):
        def execute(self, statement: str, *values: Any) -> None:
            super().execute(statement, *values)
            if statement.startswith(step):
                raise RuntimeError("killed")

    table(file).mark()
    with pytest.raises(RuntimeError, match="killed"):
        table(file, connect=Dying).write(Rows(("a", 1.0)), Mark("one", 0, ""))
    assert (content(file), table(file).mark()) == ([], None)
    table(file).write(Rows(("a", 1.0)), Mark("one", 0, ""))
    assert content(file) == [("a", 1.0)]


@pytest.mark.parametrize(
    ("url", "columns", "expected"),
    [
        (
            "jdbc:postgresql://h:5432/d",
            ["id", "n"],
            'INSERT INTO t ("id", "n") SELECT "id", "n" FROM s WHERE true '
            'ON CONFLICT ("id") DO UPDATE SET "n" = excluded."n"',
        ),
        (
            "jdbc:postgresql://h:5432/d",
            ["id"],
            'INSERT INTO t ("id") SELECT "id" FROM s WHERE true ON CONFLICT ("id") DO NOTHING',
        ),
        (
            "jdbc:mariadb://h/d",
            ["id", "n"],
            "INSERT INTO t (`id`, `n`) SELECT `id`, `n` FROM s "
            "ON DUPLICATE KEY UPDATE `n` = VALUES(`n`)",
        ),
        (
            "jdbc:h2:mem:d",
            ["id", 'n"'],
            'MERGE INTO t t USING s s ON (t."id" = s."id") '
            'WHEN MATCHED THEN UPDATE SET t."n""" = s."n""" '
            'WHEN NOT MATCHED THEN INSERT ("id", "n""") VALUES (s."id", s."n""")',
        ),
    ],
)
def test_each_database_gets_its_upsert_syntax(url: str, columns: list[str], expected: str) -> None:
    assert upsert_statement(dialect(url), "t", "s", columns, ["id"]) == expected
