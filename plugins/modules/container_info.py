#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: container_info
short_description: State of one container and its log tail
description:
  - Queries the engine over its socket, needs no library, and does not fail without the container.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  name:
    description: Name of the container.
    type: str
    required: true
  lines:
    description: Number of lines of its log to return.
    type: int
    default: 0
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the log tail of a broker
  metal.kafka.container_info:
    name: local-kafka1
    lines: 20
  register: broker
"""

RETURN = r"""
exists:
  description: Whether the container exists.
  type: bool
  returned: always
running:
  description: Whether its process runs; false while it waits for its next restart.
  type: bool
  returned: always
status:
  description: The engine's status, such as C(running) or C(restarting); C(absent) without one.
  type: str
  returned: always
exit_code:
  description: Last exit code of its process.
  type: int
  returned: always
restarts:
  description: Number of automatic restarts by the engine.
  type: int
  returned: always
started:
  description: Time of its last start, in seconds since 1970.
  type: float
  returned: always
log:
  description: The last O(lines) lines it wrote, oldest first.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import container_state
from ..module_utils._host import engine_api


def main() -> None:
    """Return the state of a container and its log tail."""
    module = AnsibleModule(
        argument_spec={
            "name": {"type": "str", "required": True},
            "lines": {"type": "int", "default": 0},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    name, lines, socket = (module.params[key] for key in ("name", "lines", "socket"))
    try:
        found = container_state.inspect(name, socket)
        tail = (
            container_state.read_log_tail(name, lines, path=socket)
            if found.exists and lines
            else []
        )
    except engine_api.EngineError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, **vars(found), log=tail)


if __name__ == "__main__":
    main()
