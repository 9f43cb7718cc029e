# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that selects what make destroy deletes, from the survey of all hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._operations import destruction


def data_to_delete(hostvars: Mapping[str, Any], cluster: Any) -> Any:
    """See C(destruction.destruction); hosts without a result were unreachable."""
    found = {host: hostvars[host].get("service_surveyed") or [] for host in hostvars}
    return destruction.destruction(cluster, {host: each for host, each in found.items() if each})


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"destruction": data_to_delete}
