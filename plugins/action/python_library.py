# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Copy a library of the control node to the host, if the host has another version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible import constants
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ..plugin_utils._operations import library_archive
from ..plugin_utils._site.run_file import RunFile

MODULE = "metal.kafka.python_library"


class ActionModule(ActionBase):
    TRANSFERS_FILES = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        archive = _archive(arguments["package"])
        arguments["digest"] = archive["digest"]
        if arguments.pop("installed_digest", "") == arguments["digest"]:
            return {**result, "changed": False, "steps": []}
        found = self._execute_module(MODULE, module_args=arguments, task_vars=task_vars)
        if found.get("changed") and not self._task.check_mode:
            self._make_tmp_path()
            arguments["archive"] = self._connection._shell.join_path(
                self._connection._shell.tmpdir, Path(archive["path"]).name
            )
            self._transfer_file(archive["path"], arguments["archive"])
            self._fixup_perms2((self._connection._shell.tmpdir, arguments["archive"]))
            found = self._execute_module(MODULE, module_args=arguments, task_vars=task_vars)
            self._remove_tmp_path(self._connection._shell.tmpdir)
        return {**result, **found}


def _archive(package: str) -> dict[str, Any]:
    """Return the archive of ``package``, written once per run for all hosts."""
    folder = Path(constants.DEFAULT_LOCAL_TMP)
    try:
        return RunFile(folder, f"library {package}").value(  # type: ignore[no-any-return]
            "archive",
            ["archive"],
            lambda: lambda _: library_archive.write(package, folder / f"{package}.zip"),
        )
    except LookupError as error:
        raise AnsibleActionFail(f"{error}; allowed: an importable package") from error
