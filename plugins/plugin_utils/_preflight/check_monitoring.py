# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Alerts, receivers and options of monitoring: Prometheus and Alertmanager start with them.

The checks call the functions with which the role `monitoring` renders its files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from .._catalogue import SERVICES
from .._declarations.problem import Problem, problem_from_message
from .._monitoring import (
    alertmanager,
    alerts,
    extra_entries,
    known_options,
    monitoring_files,
    prometheus,
)
from .._site.monitoring import GROUP
from .._site.services import entries
from .._site.site_model import Site

WEB = "monitoring_web"
ROLE = "monitoring"


def monitoring_alerts(site: Site) -> Iterator[Problem]:
    """Changes of alerts are valid, and name existing alerts and limits."""
    yield from _problems(site, alerts.VARIABLE, "", lambda found, _: _alerts(site, found))


def monitoring_receivers(site: Site) -> Iterator[Problem]:
    """Receivers have known severities and channels, with keys that Alertmanager accepts."""
    yield from _problems(
        site,
        alertmanager.VARIABLE,
        alertmanager.IMAGE,
        lambda found, known: alertmanager.alertmanager_config([], found, known=known),
    )


def monitoring_options(site: Site) -> Iterator[Problem]:
    """Options of scrape jobs and of Alertmanager's connection are keys that Prometheus accepts."""
    jobs = monitoring_files.read_jobs()
    yield from _problems(
        site,
        prometheus.SCRAPE_OPTIONS,
        prometheus.IMAGE,
        lambda found, known: prometheus.prometheus_config(jobs, [], found, known=known),
    )
    yield from _problems(
        site,
        prometheus.ALERTMANAGER_OPTIONS,
        prometheus.IMAGE,
        lambda found, known: prometheus.prometheus_config(jobs, [], {}, found, known=known),
    )


def monitoring_targets(site: Site) -> Iterator[Problem]:
    """Targets that a site declares have known jobs, all keys and an address."""
    jobs = monitoring_files.read_jobs()
    yield from _problems(
        site, prometheus.TARGETS, "", lambda found, _: prometheus.check_targets(jobs, found)
    )


def monitoring_entries(site: Site) -> Iterator[Problem]:
    """A site's own entries have the keys that the role needs, and other names than its entries."""
    names = [service.kind for service in SERVICES if service.role == ROLE]
    yield from _problems(
        site,
        extra_entries.VARIABLE,
        "",
        lambda found, _: extra_entries.check_entries(found, names),
    )


def monitoring_web(site: Site) -> Iterator[Problem]:
    """A site's web configuration has keys that Prometheus accepts."""
    yield from _problems(
        site, WEB, prometheus.IMAGE, lambda found, known: known_options.check_web(WEB, found, known)
    )


def _alerts(site: Site, changes: Mapping[str, Any]) -> None:
    entries = site.once("alerts", monitoring_files.read_alerts)
    alerts.parse_alerts(alerts.apply_site_changes(entries, changes))


def _problems(
    site: Site, variable: str, component: str, check: Callable[[Any, bool], Any]
) -> Iterator[Problem]:
    """Yield the error that ``check`` raises for a variable, once for equal values of hosts.

    ``check`` is called with the value and whether to check keys, too. In a version of ``component``
    whose keys are not known, an unknown key is a note.
    """
    seen = set()
    # A default of the role may be a lookup, which is not evaluated here.
    hosts = [host for host in site.members(GROUP) if variable in site.own_names(host)]
    for host, value in site.values(hosts, variable):
        version = str(entries(site, host, "image_versions").get(component, ""))
        known = not component or known_options.is_known(component, version)
        try:
            check(value, False)
            check(value, True)
        except alerts.MonitoringError as error:
            if str(error) in seen:
                continue
            seen.add(str(error))
            problem = problem_from_message(host, str(error), variable)
            if isinstance(error, known_options.UnknownOptionError) and not known:
                recorded = f"{component} {known_options.VERSIONS[component]}"
                found = f"{problem.found} (keys of {recorded}; those of {version} are not known)"
                problem = replace(problem, found=found, fatal=False)
            yield problem
