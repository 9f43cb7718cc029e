"""Upserts into a database table: the newest row of each key, exactly once.

Executors write a batch to a staging table; one transaction moves it to the target and updates the
mark. This module has only the SQL; the connection is an argument.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kafka_metal_declarations.ddl import RECORD_COLUMNS

from kafka_metal_pipeline.marks import Mark

MARKS = "kafka_metal_marks"
MARK_COLUMNS = ("owner", "checkpoint", "batch", "offsets")
# Databases with their own upsert syntax; others use the standard's MERGE.
CONFLICT = ("postgresql", "sqlite")
DUPLICATE = ("mysql", "mariadb")
BACKTICKED = ("mysql", "mariadb")


class Database(Protocol):
    """A connection without auto-commit."""

    def execute(self, statement: str, *values: Any) -> None:
        """Run a statement with values for its question marks."""

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, with values as text."""

    def commit(self) -> None:
        """Commit the changes since the last commit."""

    def close(self) -> None:
        """Roll back uncommitted changes and disconnect."""


def dialect(url: str) -> str:
    """Return the database of a JDBC URL: ``postgresql`` of ``jdbc:postgresql://…``."""
    return url.removeprefix("jdbc:").partition(":")[0].lower()


def quote_column(dialect: str, column: str) -> str:
    """Return a column's quoted name, in the case that Spark uses."""
    quote = "`" if dialect in BACKTICKED else '"'
    return f"{quote}{column.replace(quote, quote * 2)}{quote}"


def upsert_statement(
    dialect: str, table: str, staged: str, columns: Sequence[str], keys: Sequence[str]
) -> str:
    """Return a statement that inserts or updates the rows of ``staged``."""

    def named(column: str) -> str:
        return quote_column(dialect, column)

    listed = ", ".join(map(named, columns))
    rest = [column for column in columns if column not in keys]
    if dialect in CONFLICT:
        sets = ", ".join(f"{named(each)} = excluded.{named(each)}" for each in rest)
        # Without a WHERE clause, SQLite parses ON as that of a join.
        return (
            f"INSERT INTO {table} ({listed}) SELECT {listed} FROM {staged} WHERE true "
            f"ON CONFLICT ({', '.join(map(named, keys))}) "
            + (f"DO UPDATE SET {sets}" if rest else "DO NOTHING")
        )
    if dialect in DUPLICATE:
        sets = ", ".join(f"{named(each)} = VALUES({named(each)})" for each in rest or keys[:1])
        return (
            f"INSERT INTO {table} ({listed}) SELECT {listed} FROM {staged} "
            f"ON DUPLICATE KEY UPDATE {sets}"
        )
    matched = " AND ".join(f"t.{named(each)} = s.{named(each)}" for each in keys)
    sets = ", ".join(f"t.{named(each)} = s.{named(each)}" for each in rest)
    update = f"WHEN MATCHED THEN UPDATE SET {sets} " if rest else ""
    values = ", ".join(f"s.{named(each)}" for each in columns)
    return (
        f"MERGE INTO {table} t USING {staged} s ON ({matched}) {update}"
        f"WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({values})"
    )


def staged_name(table: str, output: str) -> str:
    """Return the name of the staging table for an output."""
    return f"{table}_{re.sub(r'[^a-z0-9]', '_', output.lower())}_staged"


@dataclass
class Table:
    """A database table that one output writes.

    ``stage`` replaces the content of the staging table.
    """

    dialect: str
    table: str
    staged: str
    keys: tuple[str, ...]
    owner: str
    connect: Callable[[], Database]
    stage: Callable[[Any], None]

    def mark(self) -> Mark | None:
        """Return the newest batch of this output; creates the table of marks if it is missing."""
        database = self.connect()
        try:
            database.execute(
                f"CREATE TABLE IF NOT EXISTS {MARKS} (owner VARCHAR(200) PRIMARY KEY, "
                "checkpoint VARCHAR(64) NOT NULL, batch BIGINT NOT NULL, offsets TEXT NOT NULL)"
            )
            database.commit()
            return self._mark(database)
        finally:
            database.close()

    def write(self, rows: Any, mark: Mark) -> None:
        """Move a batch and its mark to the target in one transaction."""
        self.stage(rows)
        database = self.connect()
        try:
            # Check again: another driver may have written since this one started.
            known = self._mark(database)
            if known and known.checkpoint == mark.checkpoint and known.batch >= mark.batch:
                return
            columns = [name for name in rows.columns if name not in RECORD_COLUMNS]
            database.execute(
                upsert_statement(self.dialect, self.table, self.staged, columns, self.keys)
            )
            database.execute(f"DELETE FROM {MARKS} WHERE owner = ?", self.owner)
            database.execute(
                f"INSERT INTO {MARKS} ({', '.join(MARK_COLUMNS)}) VALUES (?, ?, ?, ?)",
                self.owner, mark.checkpoint, mark.batch, mark.offsets,
            )  # fmt: skip
            database.commit()
        finally:
            database.close()

    def _mark(self, database: Database) -> Mark | None:
        found = database.rows(
            f"SELECT checkpoint, batch, offsets FROM {MARKS} WHERE owner = ?", self.owner
        )
        return Mark(str(found[0][0]), int(found[0][1]), str(found[0][2])) if found else None
