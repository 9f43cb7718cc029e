# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Print the output of a command on the control node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display


class ActionModule(ActionBase):
    # Once per run, whatever the number of hosts.
    BYPASS_HOST_LOOP = True
    _requires_connection = False
    _supports_check_mode = True
    _VALID_ARGS = frozenset(("text", "problems", "files"))

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(
            {
                "text": {"type": "str", "required": True},
                "problems": {"type": "list", "elements": "str", "default": []},
                "files": {"type": "dict", "default": {}},
            }
        )
        for path, content in given["files"].items():
            write(Path(path), str(content))
        # The text is not in the result, because callbacks would print it again, in quotes.
        Display().display(given["text"])
        problems = given["problems"]
        failed = {"failed": True, "msg": "\n".join(problems)} if problems else {}
        return {"changed": False, "printed": True, **failed}


def write(path: Path, content: str) -> None:
    """Write a file at once: other processes read the old or the new content."""
    temporary = path.with_name(f"{path.name}.new")
    try:
        temporary.write_text(content, encoding="utf-8")
        temporary.chmod(0o600)
        temporary.replace(path)
    except OSError as error:
        raise AnsibleActionFail(f"cannot write {path}: {error.strerror}") from error
