"""Limits of running queries, raised where a query lags and could read more."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import rate
from kafka_metal_pipeline.reading import SetLimit

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """``limits`` are the maximum records per batch, which starts of queries read, by output.

    ``planned``: seconds for which a batch is planned, by output. ``ceiling``: the highest limit.
    """

    limits: dict[str, int]
    planned: Mapping[str, float]
    ceiling: int
    set_limit: SetLimit

    def raise_limits(self, queries: Mapping[str, StreamingQuery]) -> dict[str, StreamingQuery]:
        """Raise limits; return the queries that have to be restarted for it, by output."""
        restarts = {}
        for name, query in queries.items():
            limit = self.limits.get(name)
            if limit is None:
                continue
            progress = query.recentProgress
            found = rate.raised_limit(limit, progress, self.planned[name], self.ceiling)
            if found is not None:
                log.info("%s: reads up to %s records per batch instead of %s", name, found, limit)
                self.limits[name] = found
                if not self.set_limit(name, found):
                    restarts[name] = query
        return restarts
