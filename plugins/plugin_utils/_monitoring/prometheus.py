# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of Prometheus: scrape jobs, targets, and Alertmanagers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._common.web_login import USER
from .alerts import MonitoringError
from .known_options import ALERTMANAGER_KEYS, SCRAPE_KEYS, check_client_options, check_mapping

# Key of versions.yml.
IMAGE = "prometheus"
JOBS_FILE = "monitoring/jobs.yml"
# Variables with options of a site.
SCRAPE_OPTIONS, ALERTMANAGER_OPTIONS = (
    "monitoring_scrape_options",
    "monitoring_alertmanager_options",
)
# Variable with the targets by job.
TARGETS = "monitoring_targets"
JOB_KEYS = {"interval", "login", "path", "rename"}
TARGET_KEYS = {"address", "cluster", "host", "instance"}
# Files with which Prometheus authenticates to the metrics proxy of a machine.
CA_FILE, TOKEN_FILE = "ca.pem", "metrics.token"
# Longest timeout of a scrape in seconds.
LIMIT = 10
# File with the password of targets of jobs with a login. Prometheus reads it for each scrape.
WEB_FILE = "web.password"
AUTH_OPTIONS = {"authorization", "basic_auth", "oauth2"}


def duration_seconds(duration: str) -> int:
    """A duration such as 15s or 1m in seconds."""
    units = {"s": 1, "m": 60, "h": 3600}
    number, unit = duration[:-1], duration[-1:]
    if not number.isdecimal() or unit not in units:
        raise MonitoringError(
            f"{JOBS_FILE}: interval: found {duration}; allowed: a duration such as 15s or 1m"
        )
    return int(number) * units[unit]


def scrape_config(
    job: str,
    entry: Mapping[str, Any],
    options: Mapping[str, Any],
    folder: str,
    proxied: bool,
    password: bool = False,
) -> dict[str, Any]:
    """The scrape_config of one job. ``options`` are additional keys of the site.

    ``proxied``: its targets are behind the proxies of their machines, as in target_file().
    ``password``: targets of jobs with a login require a password, which a proxy adds itself.
    """
    unknown = sorted(set(entry) - JOB_KEYS)
    if unknown:
        allowed = ", ".join(sorted(JOB_KEYS))
        raise MonitoringError(f"{JOBS_FILE}: {job}: found key {unknown[0]}; allowed: {allowed}")
    interval = entry.get("interval", "15s")
    return {
        "job_name": job,
        "scrape_interval": interval,
        "scrape_timeout": f"{min(LIMIT, duration_seconds(interval))}s",
        **({"metrics_path": entry["path"]} if "path" in entry else {}),
        "file_sd_configs": [{"files": [f"{folder}/targets-{job}.json"]}],
        **({"metric_relabel_configs": _renames(entry["rename"])} if "rename" in entry else {}),
        **(proxy_options(folder) if proxied else {}),
        **(web_options(folder, options) if password and _logs_in(entry) and not proxied else {}),
        **options,
    }


def _logs_in(entry: Mapping[str, Any]) -> bool:
    """Whether targets of a job require the password of Prometheus and Alertmanager."""
    return bool(entry.get("login"))


def _renames(values: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    """Relabelling rules that replace values of labels: old to new, by label."""
    return [
        {
            "source_labels": [label],
            "regex": re.escape(old),
            "target_label": label,
            "replacement": new,
        }
        for label, renamed in values.items()
        for old, new in renamed.items()
    ]


def proxy_options(folder: str) -> dict[str, Any]:
    """Options for TLS and authentication with the metrics proxy of a machine."""
    return {
        "tls_config": {"ca_file": f"{folder}/{CA_FILE}"},
        "authorization": {"credentials_file": f"{folder}/{TOKEN_FILE}"},
    }


def web_options(folder: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options for authentication with Prometheus and Alertmanager; empty if the site has its own"""
    if AUTH_OPTIONS & set(options):
        return {}
    return {"basic_auth": {"username": USER, "password_file": f"{folder}/{WEB_FILE}"}}


def prometheus_config(
    jobs: Mapping[str, Mapping[str, Any]],
    alertmanagers: Iterable[str],
    options: Mapping[str, Mapping[str, Any]] | None = None,
    alertmanager_options: Mapping[str, Any] | None = None,
    folder: str = "/etc/prometheus",
    proxied: bool = False,
    password: bool = False,
    known: bool = True,
) -> dict[str, Any]:
    """``prometheus.yml``: scrape jobs, rules, and Alertmanagers.

    Targets are in separate files that Prometheus reloads, so that a new broker needs no restart.
    ``options`` has additional keys of scrape_configs, by job. With ``password`` Prometheus and
    Alertmanager require the password in WEB_FILE. Raises MonitoringError for unknown jobs, and
    unless the version's options are not ``known``, for unknown options.
    """
    check_mapping(SCRAPE_OPTIONS, options or {})
    for job, own in (options or {}).items():
        if job not in jobs:
            allowed = ", ".join(sorted(jobs))
            raise MonitoringError(f"{SCRAPE_OPTIONS}: found job {job}; allowed: {allowed}")
        check_client_options(f"{SCRAPE_OPTIONS}.{job}", own, SCRAPE_KEYS, known)
    check_client_options(ALERTMANAGER_OPTIONS, alertmanager_options or {}, ALERTMANAGER_KEYS, known)
    return {
        "global": {"scrape_interval": "15s", "evaluation_interval": "15s"},
        "rule_files": [f"{folder}/rules.yml"],
        "alerting": {
            "alertmanagers": [
                {
                    "static_configs": [{"targets": sorted(alertmanagers)}],
                    **(web_options(folder, alertmanager_options or {}) if password else {}),
                    **(alertmanager_options or {}),
                }
            ]
        },
        "scrape_configs": [
            scrape_config(job, entry, (options or {}).get(job, {}), folder, proxied, password)
            for job, entry in jobs.items()
        ],
    }


def check_targets(jobs: Iterable[str], targets: Any) -> None:
    """Raise MonitoringError for an unknown job or an invalid target."""
    check_mapping(TARGETS, targets)
    for job, found in targets.items():
        if job not in jobs:
            allowed = ", ".join(sorted(jobs))
            raise MonitoringError(f"{TARGETS}: found job {job}; allowed: {allowed}")
        if not isinstance(found, (list, tuple)):
            raise MonitoringError(f"{TARGETS}.{job}: found {found!r}; allowed: a list of targets")
        for target in found:
            check_mapping(f"{TARGETS}.{job}", target)
        target_file(job, found)
        for target in found:
            _check_address(f"{TARGETS}.{job}", target["address"])


def _check_address(where: str, address: Any) -> None:
    """Raise MonitoringError unless an address is host:port or empty."""
    host, _, port = str(address or "").rpartition(":")
    if address and not (host and port.isdecimal()):
        raise MonitoringError(
            f"{where}: found the address {address}; allowed: host:port, or empty without metrics"
        )


def target_file(
    job: str, targets: Iterable[Mapping[str, Any]], proxies: Mapping[str, str] | None = None
) -> str:
    """Targets of a job as a file of service discovery, sorted by instance.

    Each has ``address``, ``cluster``, ``host`` (the machine) and ``instance``. Targets without an
    address have no metrics and are left out. ``proxies`` has the address of the metrics proxy, by
    machine. Raises MonitoringError for a duplicate instance.
    """
    entries: dict[str, dict[str, Any]] = {}
    for target in targets:
        if set(target) != TARGET_KEYS:
            keys = ", ".join(sorted(map(str, target)))
            raise MonitoringError(
                f"{TARGETS}.{job}: found a target with the keys {keys}; "
                f"required: exactly {', '.join(sorted(TARGET_KEYS))}"
            )
        labels = {key: str(target[key]) for key in ("cluster", "host", "instance")}
        if not target["address"]:
            continue
        if labels["instance"] in entries:
            raise MonitoringError(
                f"{TARGETS}.{job}: found target {labels['instance']} twice; allowed: once"
            )
        proxy = (proxies or {}).get(labels["host"])
        entries[labels["instance"]] = {
            "targets": [str(proxy or target["address"])],
            "labels": {**labels, **(_behind_a_proxy(labels["instance"]) if proxy else {})},
        }
    return json.dumps([entries[name] for name in sorted(entries)], indent=2) + "\n"


def _behind_a_proxy(instance: str) -> dict[str, str]:
    """Special labels with which Prometheus scrapes one target through the proxy."""
    return {"__scheme__": "https", "__metrics_path__": "/proxy", "__param_module": instance}


def proxy_config(
    jobs: Mapping[str, Mapping[str, Any]],
    targets: Mapping[str, Iterable[Mapping[str, Any]]],
    machine: str,
    password: str = "",
) -> dict[str, Any]:
    """Configuration of a machine's metrics proxy: its targets of all jobs, by instance.

    ``password`` is the password of Prometheus and Alertmanager, empty if they have none.
    """
    modules: dict[str, dict[str, Any]] = {}
    for job, wanted in targets.items():
        entry = jobs.get(job, {})
        path = entry.get("path", "/metrics")
        login = {"basic_auth_username": USER, "basic_auth_password": password}
        for target in wanted:
            if target["host"] != machine or not target["address"]:
                continue
            host, _, port = str(target["address"]).rpartition(":")
            modules[str(target["instance"])] = {
                "method": "http",
                # No validation in the proxy: Prometheus parses the metrics anyway.
                "http": {
                    **{"address": host, "port": int(port), "path": path, "verify": False},
                    **(login if password and _logs_in(entry) else {}),
                },
            }
    return {"modules": {name: modules[name] for name in sorted(modules)}}
