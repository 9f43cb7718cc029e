# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Write files of a client on the control node."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase

from ..module_utils._containers import config_files, service_file_options
from ..module_utils._host import owned_directories, owner_change


class ActionModule(ActionBase):
    _requires_connection = False
    _supports_check_mode = True
    _VALID_ARGS = frozenset(("directory", "files"))

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        given = self._task.args
        checked = ArgumentSpecValidator(service_file_options.OPTIONS).validate(
            {
                "dest": given.get("directory"),
                "directories": [given.get("directory")],
                "directory_mode": "0700",
                "secret_files": given.get("files"),
            }
        )
        if checked.error_messages:
            # Of the directory only: contents of files are secret.
            raise AnsibleActionFail(f"client_files: found {len(checked.error_messages)} errors")
        spec, ids = checked.validated_parameters, owned_directories.resolve_ids(None, None)
        if refused := owner_change.planted_links(spec["directories"]):
            raise AnsibleActionFail("\n".join(refused))
        found, dry = owned_directories.Outcome(), self._task.check_mode
        try:
            owned_directories.converge(spec, ids, dry, found)
            config_files.converge(spec, ids, dry, found)
        except OSError as error:
            raise AnsibleActionFail(f"{error.filename}: {error.strerror}") from None
        return found.result()
