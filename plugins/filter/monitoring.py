# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that render the configuration of Prometheus and Alertmanager."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._monitoring import (
    alertmanager,
    alerts,
    known_options,
    monitoring_files,
    prometheus,
    rule_file,
)


def declared_alerts(changes: Any, limits: Any = None) -> Any:
    """Alerts of the collection with a site's changes; ``limits`` replace default ones by alert."""
    given = {name: {"limits": to_builtin(found)} for name, found in (limits or {}).items()}
    entries = alerts.apply_site_changes(monitoring_files.read_alerts(), given)
    return alerts.parse_alerts(alerts.apply_site_changes(entries, to_builtin(changes)))


def as_yaml_filter(function: Callable[..., Any], *values: Any, **options: Any) -> str:
    """Result of ``function`` as YAML; an invalid declaration is an error of the filter."""
    try:
        document = function(
            *(to_builtin(value) for value in values),
            **{k: to_builtin(v) for k, v in options.items()},
        )
    except alerts.MonitoringError as error:
        raise AnsibleFilterError(str(error)) from error
    return yaml.safe_dump(document, sort_keys=False, width=100)


def alert_rules(changes: Any, runbooks: Any = "docs/operate/alerts", limits: Any = None) -> str:
    """The rule file; ``changes`` are a site's alerts by name, ``limits`` defaults by alert."""
    return as_yaml_filter(
        lambda wanted: rule_file.rule_document(
            declared_alerts(wanted, limits), monitoring_files.read_records(), to_builtin(runbooks)
        ),
        changes,
    )


def alert_routes(
    receivers: Any, changes: Any, runbooks: Any = "docs/operate/alerts", version: Any = ""
) -> str:
    """The configuration of Alertmanager; ``receivers`` are channels by severity.

    ``version`` of Alertmanager: keys of unknown versions are not checked.
    """
    return as_yaml_filter(
        lambda found: alertmanager.alertmanager_config(
            declared_alerts(changes),
            found,
            to_builtin(runbooks),
            known=known_options.is_known(alertmanager.IMAGE, str(version)),
        ),
        receivers,
    )


def scrape_config(
    alertmanagers: Any,
    options: Any = None,
    alertmanager_options: Any = None,
    proxied: Any = False,
    password: Any = False,
    version: Any = "",
) -> str:
    """The configuration of Prometheus; ``proxied``: targets are behind proxies of machines.

    ``password``: Prometheus and Alertmanager require the password in web.password. ``version`` of
    Prometheus: keys of unknown versions are not checked.
    """
    return as_yaml_filter(
        lambda peers: prometheus.prometheus_config(
            monitoring_files.read_jobs(),
            peers,
            to_builtin(options),
            to_builtin(alertmanager_options),
            proxied=proxied,
            password=password,
            known=known_options.is_known(prometheus.IMAGE, str(version)),
        ),
        alertmanagers,
    )


def proxy_config(targets: Any, machine: Any, password: Any = "") -> str:
    """The configuration of a metrics proxy; ``password`` of Prometheus and Alertmanager."""
    return as_yaml_filter(
        lambda wanted: prometheus.proxy_config(
            monitoring_files.read_jobs(), wanted, str(machine), str(password)
        ),
        targets,
    )


def target_files(targets: Any, proxies: Any = None) -> list[dict[str, Any]]:
    """Files of service discovery: one for each job, empty for a job without targets.

    ``proxies``: address of the metrics proxy by machine, if there are any.
    """
    try:
        known = monitoring_files.read_jobs()
        prometheus.check_targets(known, to_builtin(targets))
        return [
            {
                "name": f"targets-{job}.json",
                "content": prometheus.target_file(
                    job, to_builtin(targets.get(job, [])), to_builtin(proxies or {})
                ),
                # Prometheus reloads the file, so a change needs no restart.
                "static": "",
            }
            for job in known
        ]
    except alerts.MonitoringError as error:
        raise AnsibleFilterError(str(error)) from error


def web_config(password: Any) -> dict[str, Any]:
    """The web configuration of Prometheus and Alertmanager with this password."""
    # Imported here, because `ansible-doc` loads this file without bcrypt.
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
