# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is measured and who is told, from the data in the folder ``monitoring``."""

from .alerts import Alert, MonitoringError, adjusted, alerts_of
from .data import read_alerts, read_jobs, read_records, read_series
from .notify import alertmanager_config
from .promql import names_of
from .rules import rule_document
from .scrape import prometheus_config, proxy_config, target_file
from .series import Series, series_of

__all__ = [
    "Alert",
    "MonitoringError",
    "Series",
    "adjusted",
    "alertmanager_config",
    "alerts_of",
    "names_of",
    "prometheus_config",
    "proxy_config",
    "read_alerts",
    "read_jobs",
    "read_records",
    "read_series",
    "rule_document",
    "series_of",
    "target_file",
]
