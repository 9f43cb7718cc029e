#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: port_probe
author: The kafka-metal authors (!UNKNOWN)
short_description: Check that a machine reaches ports of others, before services use them
description:
  - Connects to all endpoints of O(connect) in parallel and reports the result of each.
  - For ports that no service uses yet, O(listen) starts a helper process that accepts and closes
    connections. O(close) stops it; otherwise it ends after O(seconds).
  - Makes no lasting changes, and needs only Python.
options:
  listen:
    description:
      - Endpoints to listen on temporarily. Not in check mode.
      - The helper of an interrupted run is stopped first.
    type: list
    elements: dict
    default: []
    suboptions:
      address:
        description: Address or name to bind; V(0.0.0.0) for every address.
        type: str
        required: true
      port:
        description: Port to bind.
        type: int
        required: true
  connect:
    description: Endpoints to connect to.
    type: list
    elements: dict
    default: []
    suboptions:
      address:
        description: Address or name.
        type: str
        required: true
      port:
        description: Port.
        type: int
        required: true
  close:
    description: Whether to stop the helper; its ports are free when the module returns.
    type: bool
    default: false
  token:
    description: Identifies the helper, for example by the name of the cluster.
    type: str
    required: true
  seconds:
    description: Maximum lifetime of a helper.
    type: int
    default: 60
attributes:
  check_mode:
    description: Connects, and starts no helper.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
"""

EXAMPLES = r"""
- name: Listen on unused ports
  metal.kafka.port_probe:
    token: prod-1
    listen: [{address: 0.0.0.0, port: 9092}]

- name: Connect to ports of the other machines
  metal.kafka.port_probe:
    token: prod-1
    connect: [{address: node2.example.com, port: 9092}]
  register: probe

- name: Close the test ports
  metal.kafka.port_probe:
    token: prod-1
    close: true
"""

RETURN = r"""
connections:
  description: >-
    For each endpoint of O(connect) its C(address), C(port) and C(state): V(connected), V(refused),
    V(timeout), V(no route), V(unresolved), or the error of the operating system.
  type: list
  elements: dict
  returned: always
opened:
  description: Endpoints of O(listen) that the helper listens on, each with C(address) and C(port).
  type: list
  elements: dict
  returned: always
unbound:
  description: Endpoints of O(listen) that could not be bound, each with the C(reason).
  type: list
  elements: dict
  returned: always
"""

import socket
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import port_probe


def endpoints(entries: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(entry["address"], entry["port"]) for entry in entries]


def main() -> None:
    endpoint = {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "address": {"type": "str", "required": True},
            "port": {"type": "int", "required": True},
        },
    }
    module = AnsibleModule(
        argument_spec={
            "listen": endpoint,
            "connect": endpoint,
            "close": {"type": "bool", "default": False},
            # The token is a name, not a secret.
            "token": {"type": "str", "required": True, "no_log": False},
            "seconds": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    given = module.params
    opened: dict[tuple[str, int], socket.socket] = {}
    unbound: dict[tuple[str, int], str] = {}
    if given["close"] or given["listen"]:
        port_probe.stop(given["token"])
    if given["listen"] and not module.check_mode:
        opened, unbound = port_probe.bind_all(endpoints(given["listen"]))
        if opened:
            port_probe.serve_detached([*opened.values()], given["token"], given["seconds"])
    module.exit_json(
        changed=False,
        connections=port_probe.connect_all(endpoints(given["connect"])),
        opened=[{"address": address, "port": port} for address, port in opened],
        unbound=[
            {"address": address, "port": port, "reason": reason}
            for (address, port), reason in unbound.items()
        ],
    )


if __name__ == "__main__":
    main()
