#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: groups
short_description: Read, reset and delete consumer groups
description:
  - Returns the state, members and lag of consumer groups, in a few requests for each broker.
  - Resets offsets of groups, and deletes named groups. Both fail while a group has members, which
    would overwrite the offsets or recreate the group. Names are exact; there are no patterns.
  - A group with the desired offsets is not changed. C(latest) and times are resolved when the
    module runs.
extends_documentation_fragment: [metal.kafka.client]
options:
  names:
    description: Groups to return; all if empty.
    type: list
    elements: str
    default: []
  detail:
    description: Whether to return each partition.
    type: bool
    default: false
  reset:
    description: Offsets to set; if several apply to a partition, the last one wins.
    type: list
    elements: dict
    default: []
    suboptions:
      group:
        description: Name of an existing group.
        type: str
        required: true
      to:
        description: >-
          V(earliest), V(latest), an offset, a time with its zone such as
          V(2026-03-01T12:00:00+01:00), or a duration, such as V(2h ago). A time after the last
          record means the end. An offset needs one topic and partitions.
        type: str
        required: true
      topics:
        description: Topics; if empty, all topics in which the group has offsets.
        type: list
        elements: str
        default: []
      partitions:
        description: Partition numbers of one topic; all if empty.
        type: list
        elements: int
        default: []
  absent:
    description: Groups to delete with their offsets.
    type: list
    elements: str
    default: []
  timeout:
    description: Time limit for the cluster's responses, in seconds.
    type: float
    default: 60
attributes:
  check_mode:
    description: Returns the planned steps and changes nothing.
    support: full
  diff_mode:
    description: Shows offsets before and after.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the lag of all groups
  metal.kafka.groups:
    bootstrap_servers: [kafka1:9092]
  register: groups

- name: Reset group reports to two hours ago, and delete its predecessor
  metal.kafka.groups:
    bootstrap_servers: [kafka1:9092]
    reset:
      - {group: reports, topics: [payments], to: 2h ago}
    absent: [reports-old]
"""

RETURN = r"""
groups:
  description: >-
    Groups by name after the change, each with C(state), C(members) (C(client), C(host)),
    C(topics), C(lag) in records, and with O(detail) C(partitions) (C(topic), C(partition),
    C(offset), C(end), C(lag)).
  type: dict
  returned: success
steps:
  description: Applied steps, in check mode planned ones; one message for each group.
  type: list
  elements: str
  returned: success
  sample: ["group reports: payments-0 17 -> 0"]
errors:
  description: One message for each declaration that cannot be applied.
  type: list
  elements: str
  returned: failure
"""

import time

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._content import group_client, group_model, group_report, groups
from ..module_utils._kafka import client, client_options, endpoints

RESET = {
    "group": {"type": "str", "required": True},
    "to": {"type": "str", "required": True},
    "topics": {"type": "list", "elements": "str", "default": []},
    "partitions": {"type": "list", "elements": "int", "default": []},
}


def main() -> None:
    """Apply resets and deletions, and return the groups."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "names": {"type": "list", "elements": "str", "default": []},
            "detail": {"type": "bool", "default": False},
            "reset": {"type": "list", "elements": "dict", "default": [], "options": RESET},
            "absent": {"type": "list", "elements": "str", "default": []},
            "timeout": {"type": "float", "default": 60},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.full_argument_spec(module)
    try:
        resets = groups.parse_resets(spec["reset"], int(time.time() * 1000))
        with group_client.GroupConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as store:
            steps = groups.converge(store, resets, spec["absent"], dry=module.check_mode)
            found = store.read_groups(spec["names"] or None)
            bounds = store.read_bounds([key for each in found.values() for key in each.offsets], {})
    except group_model.GroupError as error:
        module.fail_json(msg="; ".join(error.messages), errors=error.messages)
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"groups: {error}", errors=[str(error)])
    module.exit_json(
        changed=bool(steps),
        steps=[str(step) for step in steps],
        groups=group_report.report(found, bounds, spec["detail"]),
        diff=group_report.difference(steps),
    )


if __name__ == "__main__":
    main()
