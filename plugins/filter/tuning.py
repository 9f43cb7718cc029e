# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the settings of the module host_tuning, and for the output of make verify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._host.tuning import desired_settings
from ..plugin_utils._operations import tuning_report


def tuning_settings(table: Any, overrides: Any) -> Any:
    try:
        return desired_settings.merge(table, overrides)
    except desired_settings.TuningError as error:
        raise AnsibleFilterError(str(error)) from error


def tuning_result(
    hostvars: Mapping[str, Any], hosts: Sequence[str], secrets: Any = (), ensemble: Any = ()
) -> Any:
    """Text and drift, from results that the plays of verify.yml registered on the hosts.

    ``secrets`` are C(exposed) of metal.kafka.credentials, ``ensemble`` the messages of the filter
    ensemble_drift.
    """
    found = {}
    for host in hosts:
        values = hostvars[host]
        parts = [values.get("host_verified"), values.get("kafka_broker_verified")]
        rows = [row for part in parts if part for row in part.get("settings") or []]
        mode = (values.get("host_verified") or {}).get("mode", "apply")
        if rows:
            found[host] = {"settings": rows, "enforced": mode == "apply"}
    return tuning_report.verify(found, list(secrets), list(ensemble))


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"tuning_settings": tuning_settings, "tuning_result": tuning_result}
