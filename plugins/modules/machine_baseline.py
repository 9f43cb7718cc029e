#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_baseline
short_description: Write the baseline of a machine
description:
  - Saves the declarations, and the state of the cluster's containers, their files and pending
    tuning on the machine, so that M(metal.kafka.machine_info) can report changes since then.
  - A machine with a stopped container gets no baseline, and the next run compares everything.
  - A run that applied only a part of the site updates that part of the baseline, with
    O(state=updated).
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  declared:
    description: >-
      Digests of declarations by part, from the lookup P(metal.kafka.declared#lookup), and of the
      brokers' effective settings (C(settings)).
    type: dict
    default: {}
  others:
    description: >-
      Digests in this run of parts that it did not apply: the rest of the declarations and the
      secret store. If the baseline has another one, O(state=updated) replaces no digests: values of
      a part may have templates with variables of the rest, or passwords of the store, which may
      change back. The next run then compares the parts whose digests are empty.
    type: dict
    default: {}
  state:
    description:
      - V(present) writes the whole baseline. V(updated) replaces the digests O(declared) and the
        containers of O(kinds) in an existing baseline. V(absent) deletes it.
      - V(begun) saves containers and their configuration before a verb changes them. V(ended)
        replaces in the baseline what has changed since then.
    type: str
    choices: [present, updated, absent, begun, ended]
    default: present
  kinds:
    description: Kinds of services whose containers O(state=updated) replaces.
    type: list
    elements: str
    default: []
  baseline_file:
    description: File of the baseline.
    type: path
    required: true
  specs:
    description: RV(metal.kafka.host_tuning#module:specs) of the run.
    type: dict
    default: {}
  socket:
    description: Socket of the container engine.
    type: path
    default: /var/run/docker.sock
attributes:
  check_mode:
    description: Writes nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Write the machine's baseline
  metal.kafka.machine_baseline:
    cluster: prod
    declared: {content: 0123456789abcdef, rest: fedcba9876543210}
    baseline_file: /etc/kafka-metal/.as-left/prod@node1.json
"""

RETURN = r"""
stopped:
  description: Containers that do not run; with any of them no baseline is saved.
  type: list
  elements: str
  returned: always
declared:
  description: Digests of the baseline before O(state=updated); empty without a baseline.
  type: dict
  returned: always
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import baseline_file
from ..module_utils._host import engine_api

CHANGES = ("begun", "ended")


def main() -> None:
    """Inspect the machine and write its baseline."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "declared": {"type": "dict", "default": {}},
            "others": {"type": "dict", "default": {}},
            "state": {
                "type": "str",
                "choices": ["present", "updated", "absent", *CHANGES],
                "default": "present",
            },
            "kinds": {"type": "list", "elements": "str", "default": []},
            "baseline_file": {"type": "path", "required": True},
            "specs": {"type": "dict", "default": {}},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    result: dict[str, Any] = {"stopped": [], "declared": {}}
    path, dry = given["baseline_file"], module.check_mode
    try:
        if given["state"] == "updated" and not given["kinds"]:
            result["declared"] = baseline_file.replace_digests(
                path, given["declared"], given["others"], dry=dry
            )
        elif given["state"] == "absent":
            if not dry:
                baseline_file.delete(path)
        else:
            result |= save_state(given, dry)
    except OSError as error:
        message = f"machine_baseline: {path}: {error.strerror}"
        # A full disk must not prevent the verb that repairs it.
        if given["state"] not in CHANGES:
            module.fail_json(msg=message)
        module.warn(f"{message}: make status counts the changes of this run as manual ones")
    # The baseline is not part of the platform: report no change.
    module.exit_json(changed=False, **result)


def save_state(given: dict[str, Any], dry: bool) -> dict[str, Any]:
    """Write the state of the machine with the digests; return what it adds to the result."""
    # On the machine these files are compiled in each execution, a third of its time.
    from ..module_utils._containers import baseline_update, host_baseline, verb_changes

    where = given["socket"], given["cluster"], given["baseline_file"]
    if given["state"] == "updated":
        declared = baseline_update.update(
            *where, given["declared"], given["kinds"], given["others"], dry=dry
        )
        return {"declared": declared}
    if dry:
        return {}
    if given["state"] == "present":
        return {"stopped": host_baseline.save(*where, given["declared"], given["specs"])}
    change = verb_changes.begin if given["state"] == "begun" else verb_changes.end
    change(*where)
    return {}


if __name__ == "__main__":
    main()
