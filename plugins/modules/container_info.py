#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: container_info
short_description: State of one container and the end of its log
description:
  - Asks the engine by its socket, needs no library, and never fails because a container is gone.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  name:
    description: Name of the container.
    type: str
    required: true
  lines:
    description: How many lines of its log are wanted.
    type: int
    default: 0
  socket:
    description: Socket that the engine answers on.
    type: path
    default: /var/run/docker.sock
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Last words of a broker are known
  metal.kafka.container_info:
    name: local-kafka1
    lines: 20
  register: broker
"""

RETURN = r"""
exists:
  description: Whether there is such a container.
  type: bool
  returned: always
running:
  description: Whether its process runs; a container that waits for its next try does not.
  type: bool
  returned: always
status:
  description: The engine's word, for example C(running) or C(restarting); C(absent) without one.
  type: str
  returned: always
exit_code:
  description: How its process ended last.
  type: int
  returned: always
restarts:
  description: How often the engine has started it again by itself.
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
    """Ask the engine, answer."""
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
        words = container_state.log(name, lines, path=socket) if found.exists and lines else []
    except engine_api.EngineError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, **vars(found), log=words)


if __name__ == "__main__":
    main()
