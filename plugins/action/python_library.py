# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Carries the archive of a library to the host, when the host says that it has another one."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase

MODULE = "metal.kafka.python_library"


class ActionModule(ActionBase):
    TRANSFERS_FILES = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        source = Path(self._find_needle("files", arguments["src"]))
        arguments["digest"] = hashlib.sha256(source.read_bytes()).hexdigest()
        if arguments.pop("seen", "") == arguments["digest"]:
            return {**result, "changed": False, "steps": []}
        found = self._execute_module(MODULE, module_args=arguments, task_vars=task_vars)
        if found.get("changed") and not self._task.check_mode:
            self._make_tmp_path()
            arguments["archive"] = self._connection._shell.join_path(
                self._connection._shell.tmpdir, source.name
            )
            self._transfer_file(str(source), arguments["archive"])
            self._fixup_perms2((self._connection._shell.tmpdir, arguments["archive"]))
            found = self._execute_module(MODULE, module_args=arguments, task_vars=task_vars)
            self._remove_tmp_path(self._connection._shell.tmpdir)
        return {**result, **found}
