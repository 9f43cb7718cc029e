# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for monitoring in the status screen: its services, firing alerts and silences."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..module_utils._problems import arrangement, monitoring_problems, platform_problem
from ..module_utils._problems.platform_problem import Problem
from ..plugin_utils._operations.status_row import status_row

# Problems that only the exporter finds; all others are read again for the screen.
OF_EXPORTER = ("ReadFailed", "CertificateExpires")
# The jobs of the services whose responses are read.
ALERTMANAGER, EXPORTER, PROBE, PROMETHEUS = "alertmanager", "exporter", "probe", "prometheus"
# Kinds of problems with which a service does not respond.
NOT_RESPONDING = ("ServiceDown", "AlertsUnread", "MetricsUnreadable")


def monitoring_status(
    responses: Mapping[str, Any],
    endpoints: Mapping[str, str],
    machine: str,
    places: Iterable[Mapping[str, str]],
    password: bool = False,
) -> dict[str, Any]:
    """Rows and problems of the monitoring services on ``machine``.

    ``responses`` are those of M(metal.kafka.web_info) for C(targets), C(alerts), C(rules),
    C(silences), C(page) and C(probe). ``endpoints`` are host:port by job. ``places`` are those of
    P(metal.kafka.platform_state#filter). ``password``: Prometheus requires one.
    """
    targets = _data(responses, "targets", "activeTargets")
    alerts = _data(responses, "alerts", "alerts")
    problems = [
        *_silences(responses.get("silences") or {}, machine),
        *_page_problems(responses.get("page") or {}, machine),
        *_probe_problems(responses.get("probe") or {}, machine),
    ]
    notes = ["password in operator/monitoring-web"] if password else []
    if targets is None or alerts is None:
        problems.append(_unresponsive(responses.get("targets") or {}, machine))
    else:
        problems += monitoring_problems.from_prometheus(alerts)
        known = arrangement.places_of(places)
        problems += monitoring_problems.unreadable(targets, known.down_without_metrics)
        missing = monitoring_problems.without_target(targets, known.scraped)
        problems += missing
        rules = _data(responses, "rules", "groups")
        if rules is not None:
            problems += monitoring_problems.without_rules(rules, f"{PROMETHEUS}@{machine}")
        responding = sum(each["health"] != "down" for each in targets)
        notes.insert(0, f"{responding} of {len(targets) + len(missing)} targets respond")
    down = {each.where for each in problems if each.kind in NOT_RESPONDING}
    return {
        "services": [
            status_row(
                f"{job}@{machine}",
                "monitoring",
                f"{job}@{machine}" not in down,
                f"http://{endpoint}",
                ", ".join(notes) if job == PROMETHEUS else "",
            )
            for job, endpoint in endpoints.items()
        ],
        "problems": [each.as_dict() for each in problems],
    }


def _unresponsive(response: Mapping[str, Any], machine: str) -> Problem:
    """The problem of a Prometheus that does not respond; it is starting if it returns 503."""
    name = f"{PROMETHEUS}@{machine}"
    reason = str(response.get("error") or "no response")
    text = f"{name} does not respond: {reason}. Alerts are not known"
    if reason.endswith("503"):
        return Problem("ServiceDown", name, f"{name} is starting. Alerts are not known", read=False)
    return Problem("ServiceDown", name, text)


def _silences(response: Mapping[str, Any], machine: str) -> list[Problem]:
    """Notes on active silences; a problem if Alertmanager does not respond."""
    silences = response.get("json")
    if isinstance(silences, list):
        return monitoring_problems.silenced(silences)
    name = f"{ALERTMANAGER}@{machine}"
    reason = response.get("error") or "the response has no silences"
    return [Problem("AlertsUnread", name, f"{name} does not respond: {reason}")]


def _page_problems(page: Mapping[str, Any], machine: str) -> list[Problem]:
    """Problems that only the exporter can read; one if its page does not respond."""
    body = page.get("json")
    if not isinstance(body, dict) or "problems" not in body:
        return [_down(EXPORTER, page.get("error") or "the response has no problems", machine)]
    listed = [platform_problem.from_dict(each) for each in body["problems"]]
    found = [one for each in listed for one in each.each]
    # As old as the last reading of the exporter.
    return [replace(each, read=False) for each in found if each.kind in OF_EXPORTER]


def _probe_problems(response: Mapping[str, Any], machine: str) -> list[Problem]:
    """One problem if the probe does not respond: Prometheus, which reads it, may not either."""
    error = response.get("error", "no response")
    return [_down(PROBE, error, machine)] if error else []


def _down(job: str, reason: str, machine: str) -> Problem:
    name = f"{job}@{machine}"
    return Problem("ServiceDown", name, f"{name} does not respond: {reason}")


def _data(responses: Mapping[str, Any], name: str, key: str) -> list[Any] | None:
    """A list in a response of Prometheus' API; None for any other response."""
    body = (responses.get(name) or {}).get("json")
    found = body.get("data") if isinstance(body, dict) else None
    return found.get(key) if isinstance(found, dict) else None


class FilterModule:
    """Filter of the status screen."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"monitoring_status": monitoring_status}
