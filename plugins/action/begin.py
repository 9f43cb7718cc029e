# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Check the inventory of a run, and create the state directory of its cluster."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import lookup_loader

from ..plugin_utils._operations.run_scope import Scope, ScopeError
from ..plugin_utils._site import state_migration

OPTIONS = {
    "whole": {"type": "bool", "default": False},
    "brokers": {"type": "bool", "default": False},
    "result_file": {"type": "path"},
}


class ActionModule(ActionBase):
    # One directory for all hosts.
    BYPASS_HOST_LOOP = True
    _requires_connection = False
    _supports_check_mode = True
    _VALID_ARGS = frozenset(OPTIONS)

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        variables = task_vars or {}
        _, given = self.validate_argument_spec(OPTIONS)
        hosts = [variables["hostvars"][name] for name in variables["ansible_play_hosts_all"]]
        scope = Scope(
            variables["groups"],
            variables.get("ansible_limit"),
            (str(each.get("cluster_name", "")) for each in hosts),
            chain.from_iterable(hosts),
        )
        try:
            cluster = scope.cluster(whole=given["whole"], brokers=given["brokers"])
        except ScopeError as error:
            raise AnsibleActionFail(str(error)) from None
        site = lookup_loader.get("metal.kafka.site", self._loader, self._templar)
        (path,) = site.run(["state.directory"], variables)
        steps = state_migration.migrate_state(
            Path(path),
            cluster,
            secrets="security_store" not in variables,
            dry=self._task.check_mode,
        )
        if given["result_file"]:
            found = {"cluster": cluster, "state": path}
            Path(given["result_file"]).write_text(json.dumps(found), encoding="utf-8")
        return {"changed": bool(steps), "steps": steps}
