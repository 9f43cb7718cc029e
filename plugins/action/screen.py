# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Print the output of a command on the control node."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display


class ActionModule(ActionBase):
    # Once per run, whatever the number of hosts.
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
        # The text is not in the result, because callbacks would print it again, in quotes.
        Display().display(given["text"])
        problems = given["problems"]
        failed = {"failed": True, "msg": "\n".join(problems)} if problems else {}
        return {"changed": False, "printed": True, **failed}
