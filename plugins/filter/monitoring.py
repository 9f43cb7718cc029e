# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of Prometheus and Alertmanager from declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations.service_data import plain
from ..plugin_utils._monitoring import (
    alertmanager,
    alerts,
    monitoring_files,
    prometheus,
    rule_file,
)


def declared(changes: Any) -> Any:
    """Alerts of the collection with what a site changes."""
    return alerts.alerts_of(alerts.adjusted(monitoring_files.read_alerts(), plain(changes)))


def written(function: Callable[..., Any], *values: Any, **options: Any) -> str:
    """What ``function`` gives as YAML; a declaration that cannot be is an error of the filter."""
    try:
        document = function(
            *(plain(value) for value in values), **{k: plain(v) for k, v in options.items()}
        )
    except alerts.MonitoringError as error:
        raise AnsibleFilterError(f"monitoring: {error}") from error
    return yaml.safe_dump(document, sort_keys=False, width=100)


def alert_rules(changes: Any, runbooks: Any = "docs/operate/alerts") -> str:
    """The rule file; ``changes`` are a site's alerts by name."""
    return written(
        lambda wanted: rule_file.rule_document(
            declared(wanted), monitoring_files.read_records(), plain(runbooks)
        ),
        changes,
    )


def alert_routes(receivers: Any, changes: Any, runbooks: Any = "docs/operate/alerts") -> str:
    """The configuration of Alertmanager; ``receivers`` are ways to people by severity."""
    return written(
        lambda ways: alertmanager.alertmanager_config(declared(changes), ways, plain(runbooks)),
        receivers,
    )


def scrape_config(
    alertmanagers: Any,
    options: Any = None,
    alertmanager_options: Any = None,
    proxied: Any = False,
    password: Any = False,
) -> str:
    """The configuration of Prometheus; ``proxied``: targets are behind proxies of machines.

    ``password``: Prometheus and Alertmanager ask for the one in web.password.
    """
    return written(
        lambda peers: prometheus.prometheus_config(
            monitoring_files.read_jobs(),
            peers,
            plain(options),
            plain(alertmanager_options),
            proxied=proxied,
            password=password,
        ),
        alertmanagers,
    )


def proxy_config(targets: Any, machine: Any, password: Any = "") -> str:
    """The configuration of the proxy of a machine; ``password``: of Prometheus and Alertmanager."""
    return written(
        lambda wanted: prometheus.proxy_config(
            monitoring_files.read_jobs(), wanted, str(machine), str(password)
        ),
        targets,
    )


def target_files(targets: Any, proxies: Any = None) -> list[dict[str, Any]]:
    """Files of service discovery: one for each job, empty for a job without targets.

    ``proxies``: address of the proxy by machine, where targets are behind one.
    """
    try:
        known = monitoring_files.read_jobs()
        unknown = sorted(set(targets) - set(known))
        if unknown:
            raise alerts.MonitoringError(
                f"job {unknown[0]}: there is none; jobs: {', '.join(sorted(known))}"
            )
        return [
            {
                "name": f"targets-{job}.json",
                "content": prometheus.target_file(
                    job, plain(targets.get(job, [])), plain(proxies or {})
                ),
                # Read again by itself: a target more restarts nothing.
                "static": "",
            }
            for job in known
        ]
    except alerts.MonitoringError as error:
        raise AnsibleFilterError(f"monitoring: {error}") from error


def web_config(password: Any) -> dict[str, Any]:
    """The web configuration of Prometheus and Alertmanager that ask for this password."""
    # `ansible-doc` loads this file where bcrypt is not installed.
    from ..plugin_utils._monitoring import web_password

    return web_password.web_config(str(password))


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "alert_routes": alert_routes,
            "alert_rules": alert_rules,
            "proxy_config": proxy_config,
            "scrape_config": scrape_config,
            "target_files": target_files,
            "web_config": web_config,
        }
