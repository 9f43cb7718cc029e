# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Create the state directory of a cluster on the control node."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase

from ..plugin_utils._site import state_migration


class ActionModule(ActionBase):
    # One directory for all hosts.
    BYPASS_HOST_LOOP = True
    _requires_connection = False
    _supports_check_mode = True
    _VALID_ARGS = frozenset(("path", "cluster", "secrets", "result_file"))

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(
            {
                "path": {"type": "path", "required": True},
                "cluster": {"type": "str", "required": True},
                "secrets": {"type": "bool", "default": True},
                "result_file": {"type": "path"},
            }
        )
        steps = state_migration.migrate_state(
            Path(given["path"]),
            given["cluster"],
            secrets=given["secrets"],
            dry=self._task.check_mode,
        )
        if given["result_file"]:
            found = {"cluster": given["cluster"], "state": given["path"]}
            Path(given["result_file"]).write_text(json.dumps(found), encoding="utf-8")
        return {"changed": bool(steps), "steps": steps}
