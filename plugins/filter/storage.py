# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter for settings of the declared storage, for the roles spark and pipeline."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations.declaration_reader import DeclarationError
from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._declarations.storage import MOUNTED, parse_storage


def storage(declared: Any, cluster: str) -> dict[str, Any]:
    """Roots, settings and files of a storage.

    Raises AnsibleFilterError with all faults, which preflight also reports.
    """
    try:
        found = parse_storage(to_builtin(declared), cluster)
    except DeclarationError as error:
        raise AnsibleFilterError(str(error)) from error
    return {
        "kind": found.kind,
        "root": found.root,
        "mounted": found.mounted,
        # In the driver's form: a path without a scheme is a local directory.
        "roots": {
            "checkpoint_root": f"{found.root}/checkpoints",
            "archive_root": f"{found.root}/archive",
            "event_log_dir": f"{MOUNTED}/events" if found.mounted else found.events,
        },
        "events": found.events,
        "spark": dict(found.spark),
        "environment": dict(found.environment),
        "files": found.files,
        "secret_files": found.secret_files,
    }


class FilterModule:
    """Filters of the roles spark and pipeline."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"storage": storage}
