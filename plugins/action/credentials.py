# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Converge the store of a cluster's secrets to its desired state, on the control node."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase

from ..module_utils._services.credential_options import OPTIONS, unknown_options
from ..plugin_utils._operations.inputs_digest import files_digest
from ..plugin_utils._security import (
    foreign_cluster,
    provided_files,
    store_document,
    store_report,
    vault_password,
)
from ..plugin_utils._security.credentials_model import CredentialsError, Spec
from ..plugin_utils._security.credentials_plan import Plan, plan
from ..plugin_utils._security.desired_credentials import parse_spec
from ..plugin_utils._security.vault_store import Store


class ActionModule(ActionBase):
    # Once for all hosts: secrets must be rotated only once.
    BYPASS_HOST_LOOP = True
    _requires_connection = False
    _supports_check_mode = True

    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        super().run(tmp, task_vars)
        try:
            options = validated_options(self._task.args)
            return converge(
                parse_spec(options),
                Store(options["store"], options["password_file"]),
                Path(options["store"]),
                dry=self._task.check_mode,
                diff=self._task.diff,
            )
        except CredentialsError as error:
            raise AnsibleActionFail("\n".join(error.problems)) from None
        except store_document.ContentError as error:
            raise AnsibleActionFail(f"store {options['store']}: {error}") from None


def validated_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their types and defaults; raises CredentialsError."""
    problems = unknown_options(given)
    if not problems:
        # A copy: the validator adds defaults to it.
        checked = ArgumentSpecValidator(copy.deepcopy(OPTIONS)).validate(dict(given))
        problems = checked.error_messages
    if problems:
        raise CredentialsError(*problems)
    return dict(checked.validated_parameters)


def converge(spec: Spec, store: Store, path: Path, *, dry: bool, diff: bool) -> dict[str, Any]:
    """Plan without the lock; if there are changes, lock the store, plan again and write.

    ``path`` of the store, as the lookup ``declared`` has it.
    """
    now = datetime.now(UTC)
    found = make_plan(spec, store, now)
    digests: list[str] = []
    if found.changed and not dry:
        with store.locked():
            found = make_plan(spec, store, now)
            if found.changed:
                store.make_password()
                digests.append(files_digest([path]))
                store.write(found.after)
                digests.append(files_digest([path]))
    return {**found.result(spec, now, diff), "digests": digests}


class StorePlan:
    """Current and planned content of the store."""

    def __init__(
        self, store: Store, text: str | None, before: store_document.Content | None, planned: Plan
    ) -> None:
        self.text, self.before, self.planned = text, before, planned
        self.after = store_document.write(planned.content)
        self.changed = self.after != text
        self.store = store
        self.steps = list(planned.steps)
        if text is None:
            self.steps.insert(0, f"store {store.path}: created")
            if store.secrets() is None:
                path = vault_password.expand_path(store.password_file or "")
                self.steps.insert(0, f"password of the store {path}: created")
        elif self.changed and not self.steps:
            self.steps = [f"store {store.path}: the same content in another order"]

    def result(self, spec: Spec, now: datetime, diff: bool) -> dict[str, Any]:
        result = {"changed": self.changed, **store_report.report(self.planned, spec, now)}
        result["steps"] = self.steps
        if diff:
            result["diff"] = {
                "before_header": self.store.path,
                "after_header": self.store.path,
                "before": store_report.lines(self.before),
                "after": store_report.lines(self.planned.content),
            }
        return result


def make_plan(spec: Spec, store: Store, now: datetime) -> StorePlan:
    text = store.read()
    before = store_document.read(text) if text is not None else None
    foreign_cluster.refuse_foreign_cluster(
        spec, store.path, before, lambda: previous_content(store)
    )
    imported = before is not None and bool(before.authorities) and spec.rotate != "ca"
    provided = provided_files.read_all(spec, store, now, imported)
    return StorePlan(store, text, before, plan(before, spec, provided, now))


def previous_content(store: Store) -> store_document.Content | None:
    """Return the previous generation of the store; None if there is none or it is unreadable."""
    try:
        text = store.read_previous()
        return store_document.read(text) if text is not None else None
    except (vault_password.StoreError, store_document.ContentError):
        return None
