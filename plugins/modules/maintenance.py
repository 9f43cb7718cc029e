#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: maintenance
author: The kafka-metal authors (!UNKNOWN)
short_description: Silence alerts of services that an operation stops
description:
  - Writes text files for the node exporter of a machine. Alerts of instances and machines that an
    operation has stopped are silenced for O(seconds), which the run renews. The silence of a killed
    run expires.
  - M(metal.kafka.cluster_lock) announces the operation, and ends all silences with it.
  - Does not fail if a machine is unreachable, see RV(reached).
options:
  directory:
    description: Textfile directory of the node exporter on the machine; created if missing.
    type: path
    required: true
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  state:
    description: >-
      V(silenced), the operation stops O(instances) and O(machines); V(renewed), it is still active,
      and its silence is extended; V(unsilenced), the services of O(host) run again, their silence
      ends.
    type: str
    required: true
    choices: [silenced, renewed, unsilenced]
  host:
    description: Host of the inventory whose instances are stopped.
    type: str
    default: ''
  instances:
    description: Instances that are stopped, as monitoring names them, for O(state=silenced).
    type: list
    elements: str
    default: []
  machines:
    description: Machines that are stopped, as monitoring names them, for O(state=silenced).
    type: list
    elements: str
    default: []
  everything:
    description: >-
      Whether all alerts of the cluster are silenced, for O(state=silenced) without O(host): the
      whole cluster starts.
    type: bool
    default: false
  seconds:
    description: Duration of the silence, unless it is renewed.
    type: int
    default: 300
attributes:
  check_mode:
    description: Writes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
"""

EXAMPLES = r"""
- name: Silence the broker's alerts during its restart
  metal.kafka.maintenance:
    directory: /var/lib/kafka-metal/textfile
    cluster: local
    state: silenced
    host: kafka1
    instances: [kafka1]
"""

RETURN = r"""
reached:
  description: Whether the machine was reachable.
  type: bool
  returned: always
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import maintenance_files


def apply(wanted: dict[str, Any]) -> None:
    """Apply the desired state to the files; raises OSError."""
    place = wanted["directory"], wanted["cluster"]
    now, host = time.time(), wanted["host"]
    if wanted["state"] == "silenced":
        names = wanted["instances"], wanted["machines"]
        maintenance_files.renew(*place, host, now, wanted["seconds"])
        until = now + wanted["seconds"]
        maintenance_files.silence(*place, host, *names, until, wanted["everything"])
    elif wanted["state"] == "renewed":
        maintenance_files.renew(*place, host, now, wanted["seconds"])
    else:
        maintenance_files.clear(*place, host)
        maintenance_files.renew(*place, host, now, wanted["seconds"])


def main() -> None:
    """Write the files, except in check mode."""
    module = AnsibleModule(
        argument_spec={
            "directory": {"type": "path", "required": True},
            "cluster": {"type": "str", "required": True},
            "state": {
                "type": "str",
                "required": True,
                "choices": ["silenced", "renewed", "unsilenced"],
            },
            "host": {"type": "str", "default": ""},
            "instances": {"type": "list", "elements": "str", "default": []},
            "machines": {"type": "list", "elements": "str", "default": []},
            "everything": {"type": "bool", "default": False},
            "seconds": {"type": "int", "default": 300},
        },
        supports_check_mode=True,
    )
    if not module.check_mode:
        try:
            apply(module.params)
        except OSError as error:
            module.fail_json(
                msg=f"the silence cannot be announced to monitoring: {error}; required: a "
                f"writable directory {module.params['directory']}"
            )
    # Maintenance files are not part of the platform: report no change.
    module.exit_json(changed=False, reached=True)


if __name__ == "__main__":
    main()
