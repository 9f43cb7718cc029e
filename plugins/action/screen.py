# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the screen of a verb on the control node."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display


class ActionModule(ActionBase):
    # One screen of a run, whatever the number of hosts.
    BYPASS_HOST_LOOP = True
    _requires_connection = False
    _supports_check_mode = True
    _VALID_ARGS = frozenset(("text", "problems"))

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(
            {
                "text": {"type": "str", "required": True},
                "problems": {"type": "list", "elements": "str", "default": []},
            }
        )
        # No result has it: a callback would print it once more, in quotes.
        Display().display(given["text"])
        problems = given["problems"]
        failed = {"failed": True, "msg": "\n".join(problems)} if problems else {}
        return {"changed": False, "printed": True, **failed}
