# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of the files in the directory ``monitoring``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from .alerts import MonitoringError

# Series of every job; no job itself.
EVERY = "every"
INTERVAL = "15s"
FOLDER = Path(__file__).resolve().parents[3] / "monitoring"


def _mapping(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise MonitoringError(f"monitoring/{path.name}: cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise MonitoringError(
            f"monitoring/{path.name}: found {type(content).__name__}; allowed: a mapping of names"
        )
    return content


def read_alerts(folder: Path = FOLDER) -> dict[str, Any]:
    """Declared alerts by name, from all files; raises MonitoringError for a duplicate name."""
    entries: dict[str, Any] = {}
    for path in sorted((folder / "alerts").glob("*.yml")):
        content = _mapping(path)
        repeated = sorted(set(content) & set(entries))
        if repeated:
            raise MonitoringError(
                f"monitoring/{path.name}: found {repeated[0]}, which another file declares; "
                "allowed: once"
            )
        entries.update(content)
    return entries


def read_records(folder: Path = FOLDER) -> dict[str, str]:
    """Recording rules: PromQL by name."""
    return _mapping(folder / "records.yml")


def read_series(folder: Path = FOLDER) -> dict[str, Any]:
    """The catalogue of series by job: series.yml, and a file for each other job."""
    found = _mapping(folder / "series.yml")
    for path in sorted((folder / "series").glob("*.yml")):
        if path.stem in found:
            raise MonitoringError(
                f"monitoring/series/{path.name}: found a job that series.yml has; allowed: once"
            )
        found[path.stem] = _mapping(path)
    return found


def read_jobs(folder: Path = FOLDER) -> dict[str, Any]:
    """Scrape jobs of Prometheus, by name: one for each in the catalogue of series."""
    own = _mapping(folder / "jobs.yml")
    jobs = [job for job in read_series(folder) if job != EVERY]
    if unknown := sorted(set(own) - set(jobs)):
        raise MonitoringError(
            f"monitoring/jobs.yml: found {unknown[0]}; allowed: jobs with series, {', '.join(jobs)}"
        )
    return {job: {"interval": INTERVAL, **own.get(job, {})} for job in jobs}
