#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: maintenance
author: The kafka-metal authors (!UNKNOWN)
short_description: Tell monitoring which operation is under way, and what it has stopped
description:
  - Writes small files that the node exporter of a machine reads. Alerts of what an operation has
    stopped are silent until a moment that lies O(seconds) ahead and that is renewed while the run
    lives. A killed run silences nothing for longer.
  - Never fails because a machine cannot be reached; that is a result, see RV(reached).
options:
  directory:
    description: Directory on the machine that the node exporter reads. It is made when needed.
    type: path
    required: true
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  state:
    description: >-
      begun, an operation is under way; silenced, it stops what is named; renewed, it is still
      active, and so is its silence; loud, what it stopped for O(host) serves again; ended, no
      operation is under way, and nothing is silent.
    type: str
    required: true
    choices: [begun, silenced, renewed, loud, ended]
  operation:
    description: What is being done, for O(state=begun).
    type: str
    default: an operation
  by:
    description: Who does it and where, for O(state=begun).
    type: str
    default: ''
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
  seconds:
    description: For how long alerts are silent, unless it is renewed.
    type: int
    default: 300
attributes:
  check_mode:
    description: Writes nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
"""

EXAMPLES = r"""
- name: Alerts of the broker are silent while it restarts
  metal.kafka.maintenance:
    directory: /var/lib/kafka-metal/textfile
    cluster: local
    state: silenced
    host: kafka1
    instances: [kafka1]
"""

RETURN = r"""
reached:
  description: Whether the machine could be reached.
  type: bool
  returned: always
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import maintenance_files


def apply(wanted: dict[str, Any]) -> None:
    """Write what is wanted; raises OSError."""
    place = wanted["directory"], wanted["cluster"]
    now, host = time.time(), wanted["host"]
    if wanted["state"] == "begun":
        maintenance_files.begin(*place, wanted["operation"], wanted["by"], now)
    elif wanted["state"] == "silenced":
        names = wanted["instances"], wanted["machines"]
        maintenance_files.renew(*place, host, now, wanted["seconds"])
        maintenance_files.silence(*place, host, *names, now + wanted["seconds"])
    elif wanted["state"] == "renewed":
        maintenance_files.renew(*place, host, now, wanted["seconds"])
    elif wanted["state"] == "loud":
        maintenance_files.clear(*place, host)
        maintenance_files.renew(*place, host, now, wanted["seconds"])
    else:
        maintenance_files.end(*place)


def main() -> None:
    """Write, unless this is a dry run."""
    module = AnsibleModule(
        argument_spec={
            "directory": {"type": "path", "required": True},
            "cluster": {"type": "str", "required": True},
            "state": {
                "type": "str",
                "required": True,
                "choices": ["begun", "silenced", "renewed", "loud", "ended"],
            },
            "operation": {"type": "str", "default": "an operation"},
            "by": {"type": "str", "default": ""},
            "host": {"type": "str", "default": ""},
            "instances": {"type": "list", "elements": "str", "default": []},
            "machines": {"type": "list", "elements": "str", "default": []},
            "seconds": {"type": "int", "default": 300},
        },
        supports_check_mode=True,
    )
    if not module.check_mode:
        try:
            apply(module.params)
        except OSError as error:
            module.fail_json(
                msg=f"the operation cannot be noted for monitoring: {error}; wanted: a directory "
                f"{module.params['directory']} that can be written"
            )
    # Our own files, no change of the platform.
    module.exit_json(changed=False, reached=True)


if __name__ == "__main__":
    main()
