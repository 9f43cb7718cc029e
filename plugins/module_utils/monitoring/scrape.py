# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What Prometheus reads and where it sends alerts, as its configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .alerts import MonitoringError

JOB_KEYS = {"interval", "path"}
TARGET_KEYS = {"address", "cluster", "host", "instance"}
LIMIT = 10


def seconds(duration: str) -> int:
    """A duration such as 15s or 1m in seconds."""
    units = {"s": 1, "m": 60, "h": 3600}
    number, unit = duration[:-1], duration[-1:]
    if not number.isdigit() or unit not in units:
        raise MonitoringError(f"{duration} is no duration such as 15s or 1m")
    return int(number) * units[unit]


def scrape_config(
    job: str, entry: Mapping[str, Any], options: Mapping[str, Any], folder: str
) -> dict[str, Any]:
    """One job in Prometheus' words. ``options`` are Prometheus' own, of the site."""
    unknown = sorted(set(entry) - JOB_KEYS)
    if unknown:
        raise MonitoringError(f"job {job}: unknown key {unknown[0]}; known: {sorted(JOB_KEYS)}")
    interval = entry.get("interval", "15s")
    return {
        "job_name": job,
        "scrape_interval": interval,
        "scrape_timeout": f"{min(LIMIT, seconds(interval))}s",
        **({"metrics_path": entry["path"]} if "path" in entry else {}),
        "file_sd_configs": [{"files": [f"{folder}/targets-{job}.json"]}],
        **options,
    }


def prometheus_config(
    jobs: Mapping[str, Mapping[str, Any]],
    alertmanagers: Iterable[str],
    options: Mapping[str, Mapping[str, Any]] | None = None,
    alertmanager_options: Mapping[str, Any] | None = None,
    folder: str = "/etc/prometheus",
) -> dict[str, Any]:
    """``prometheus.yml``: jobs, rules, and who is told of alerts.

    Targets are files of their own that Prometheus reads again by itself, so that a broker more
    restarts nothing. ``options`` holds further keys of a scrape_config by job. Raises
    MonitoringError for options of a job that is not there.
    """
    unknown = sorted(set(options or {}) - set(jobs))
    if unknown:
        raise MonitoringError(f"job {unknown[0]}: there is none; jobs: {', '.join(sorted(jobs))}")
    return {
        "global": {"scrape_interval": "15s", "evaluation_interval": "15s"},
        "rule_files": [f"{folder}/rules.yml"],
        "alerting": {
            "alertmanagers": [
                {
                    "static_configs": [{"targets": sorted(alertmanagers)}],
                    **(alertmanager_options or {}),
                }
            ]
        },
        "scrape_configs": [
            scrape_config(job, entry, (options or {}).get(job, {}), folder)
            for job, entry in jobs.items()
        ],
    }


def target_file(job: str, targets: Iterable[Mapping[str, Any]]) -> str:
    """Targets of a job as a file of service discovery, in the order of their instances.

    Each has ``address``, ``cluster``, ``host`` (the machine) and ``instance``. One without an
    address gives no figures and is left out. Raises MonitoringError for an instance named twice.
    """
    entries: dict[str, dict[str, Any]] = {}
    for target in targets:
        if set(target) != TARGET_KEYS:
            raise MonitoringError(f"job {job}: a target has {', '.join(sorted(TARGET_KEYS))}")
        labels = {key: str(target[key]) for key in ("cluster", "host", "instance")}
        if not target["address"]:
            continue
        if labels["instance"] in entries:
            raise MonitoringError(f"job {job}: {labels['instance']} is a target twice")
        entries[labels["instance"]] = {"targets": [str(target["address"])], "labels": labels}
    return json.dumps([entries[name] for name in sorted(entries)], indent=2) + "\n"
