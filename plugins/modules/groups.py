#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: groups
short_description: Consumer groups, their lag, and where they go on
description:
  - Tells the state, members and lag of consumer groups, in a few requests for each broker.
  - Sets where a group goes on, and deletes groups that are named. Both are refused while a group
    has members, since they would overwrite or recreate it. A name is meant as it is; there are no
    patterns.
  - A group that is already where it shall be is not touched. C(latest) and times mean the records
    that are there when the module runs.
extends_documentation_fragment: [metal.kafka.client]
options:
  names:
    description: Groups to tell about; all when there is none.
    type: list
    elements: str
    default: []
  detail:
    description: Whether each partition is told.
    type: bool
    default: false
  reset:
    description: Where groups shall go on; of several for one partition the last one counts.
    type: list
    elements: dict
    default: []
    suboptions:
      group:
        description: Name of a group that there is.
        type: str
        required: true
      to:
        description: >-
          V(earliest), V(latest), an offset, a time with its zone such as
          V(2026-03-01T12:00:00+01:00), or how long ago, such as V(2h ago). A time later than the
          last record means the end. An offset needs one topic and partitions.
        type: str
        required: true
      topics:
        description: Topics; all that the group has offsets in when there is none.
        type: list
        elements: str
        default: []
      partitions:
        description: Numbers of partitions of one topic; all when there is none.
        type: list
        elements: int
        default: []
  absent:
    description: Groups that are deleted with their offsets.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds until the cluster has to have answered.
    type: float
    default: 60
attributes:
  check_mode:
    description: Says what would be done and changes nothing.
    support: full
  diff_mode:
    description: Shows offsets before and after.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Lag of all groups
  metal.kafka.groups:
    bootstrap_servers: [kafka1:9092]
  register: groups

- name: Reports read the last two hours of payments again
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
  description: What was done, or in check mode would be, one message for each group.
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
    """Read, plan, apply, read again."""
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
    spec = client_options.spec_of(module)
    try:
        resets = groups.resets_of(spec["reset"], int(time.time() * 1000))
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
