"""Database tables through JDBC drivers of the JVM, from the image or ``spark.jars``."""

from pathlib import Path
from typing import Any

from kafka_metal_declarations.ddl import RECORD_COLUMNS, quote_name
from kafka_metal_declarations.model import DatabaseSite, Output
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.window import Window

from kafka_metal_pipeline.upsert import Table, dialect, staged_name

NUMBER = "_number"


def output_table(spark: SparkSession, site: DatabaseSite, output: Output, owner: str) -> Table:
    """Return an output's database table, with its staging table and statements."""
    kind, table = dialect(site.url), str(output.table)
    staged = staged_name(table, output.name)
    properties = _properties(site)

    def stage(rows: DataFrame) -> None:
        kept = newest_rows(rows, output.keys).drop(*RECORD_COLUMNS)
        kept.write.mode("overwrite").jdbc(site.url, staged, properties=properties)

    return Table(
        dialect=kind,
        table=table,
        staged=staged,
        keys=output.keys,
        owner=owner,
        connect=lambda: JdbcDatabase(spark, site.url, properties),
        stage=stage,
    )


def newest_rows(rows: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    """Return the newest row of each key, by timestamp, partition and offset of its record.

    Rows without RECORD_COLUMNS are from an aggregate, which has each key once.
    """
    if not set(RECORD_COLUMNS) <= set(rows.columns):
        return rows
    order = [F.col(name).desc() for name in ("_timestamp", "_partition", "_offset")]
    window = Window.partitionBy(*(F.col(quote_name(key)) for key in keys)).orderBy(*order)
    numbered = rows.withColumn(NUMBER, F.row_number().over(window))
    return numbered.where(F.col(NUMBER) == 1).drop(NUMBER)


class JdbcDatabase:
    """A JDBC connection in the driver's JVM."""

    def __init__(self, spark: SparkSession, url: str, properties: dict[str, str]) -> None:
        """Connect without auto-commit."""
        jvm: Any = spark._jvm
        found = jvm.java.util.Properties()
        for name, value in properties.items():
            found.setProperty(name, value)
        if "driver" in properties:
            # Spark's registry also finds classes from spark.jars.
            registry = jvm.org.apache.spark.sql.execution.datasources.jdbc.DriverRegistry
            registry.register(properties["driver"])
        self._connection: Any = jvm.java.sql.DriverManager.getConnection(url, found)
        self._connection.setAutoCommit(False)

    def execute(self, statement: str, *values: Any) -> None:
        """Run a statement with values for its question marks."""
        prepared = self._prepared(statement, values)
        try:
            prepared.executeUpdate()
        finally:
            prepared.close()

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, with values as text."""
        prepared = self._prepared(statement, values)
        try:
            result = prepared.executeQuery()
            width = result.getMetaData().getColumnCount()
            found = []
            while result.next():
                found.append(tuple(result.getString(place + 1) for place in range(width)))
            return found
        finally:
            prepared.close()

    def commit(self) -> None:
        """Commit the changes since the last commit."""
        self._connection.commit()

    def close(self) -> None:
        """Roll back uncommitted changes and disconnect."""
        self._connection.rollback()
        self._connection.close()

    def _prepared(self, statement: str, values: tuple[Any, ...]) -> Any:
        prepared = self._connection.prepareStatement(statement)
        for place, value in enumerate(values, 1):
            if isinstance(value, int):
                prepared.setLong(place, value)
            else:
                prepared.setString(place, value)
        return prepared


def _properties(site: DatabaseSite) -> dict[str, str]:
    found = dict(site.properties)
    if site.password_file:
        found["password"] = Path(site.password_file).read_text(encoding="utf-8").strip()
    return found
