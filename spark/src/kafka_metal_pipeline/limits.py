"""Limits of running queries, raised where a query lags and could read more."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql.streaming.query import StreamingQuery

from kafka_metal_pipeline import rate
from kafka_metal_pipeline.reading import SetLimit

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum records per batch by output; starts of queries read them.

    ``values`` is shared with the reader. ``planned``: seconds for which a batch is planned, by
    output. ``ceiling``: the highest limit. ``common``: the limits that outputs with a shared read
    have together.
    """

    values: dict[str, int]
    planned: Mapping[str, float]
    ceiling: int
    common: Callable[[Mapping[str, int]], dict[str, int]]
    set_limit: SetLimit

    def raise_limits(self, queries: Mapping[str, StreamingQuery]) -> dict[str, StreamingQuery]:
        """Raise limits; return the queries that have to be restarted for it, by output."""
        raised: dict[str, int] = {}
        for name, query in queries.items():
            limit = self.values.get(name)
            if limit is not None:
                progress = query.recentProgress
                found = rate.raised_limit(limit, progress, self.planned[name], self.ceiling)
                if found is not None:
                    raised[name] = found
        restarts = {}
        for name, limit in self.common(self.values | raised).items() if raised else ():
            if limit <= self.values[name]:
                continue
            old, self.values[name] = self.values[name], limit
            log.info("%s: reads up to %s records per batch instead of %s", name, limit, old)
            if not self.set_limit(name, limit) and name in queries:
                restarts[name] = queries[name]
        return restarts
