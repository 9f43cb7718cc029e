"""The session of a driver, which outlives its declarations."""

import logging

from kafka_metal_declarations.model import Declaration
from pyspark.sql import SparkSession

from kafka_metal_pipeline import queries, session

log = logging.getLogger(__name__)


class Session:
    """The session of a driver, from its first use on until it is closed."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._spark: SparkSession | None = None

    def open(self, declaration: Declaration) -> SparkSession:
        """Return the session."""
        if self._spark is None:
            self._spark = session.start(declaration)
        return self._spark

    def close(self) -> None:
        """Stop the session if it was started."""
        try:
            if self._spark is not None:
                self._spark.stop()
        except Exception as error:
            # The exit code is determined already, and the JVM may have exited before.
            log.warning("the session could not be stopped: %s", queries.first_line(error))
        self._spark = None
