#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: port_probe
author: The kafka-metal authors (!UNKNOWN)
short_description: Whether a machine reaches ports of others, before anything serves them
description:
  - Connects to all endpoints of O(connect) at once and says what each connection met.
  - For ports that nothing serves yet, O(listen) starts a helper process that accepts and closes
    connections. It ends when O(close) asks it to, and by itself after O(seconds).
  - Changes nothing that lasts, and needs nothing but Python.
options:
  listen:
    description:
      - Endpoints to listen on for a while. Not in check mode.
      - A helper that is still there from an interrupted run is ended first.
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
    description: Whether the helper is ended; its ports are free when the module returns.
    type: bool
    default: false
  token:
    description: Tells helpers apart, for example the name of the cluster.
    type: str
    required: true
  seconds:
    description: How long a helper lives at most.
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
- name: Ports that nothing serves yet answer for a while
  metal.kafka.port_probe:
    token: prod-1
    listen: [{address: 0.0.0.0, port: 9092}]

- name: Ports of the others are tried
  metal.kafka.port_probe:
    token: prod-1
    connect: [{address: node2.example.com, port: 9092}]
  register: probe

- name: Ports are free again
  metal.kafka.port_probe:
    token: prod-1
    close: true
"""

RETURN = r"""
answers:
  description: >-
    For each endpoint of O(connect) its C(address), C(port) and C(state): V(connected), V(refused),
    V(timeout), V(no route), V(unresolved), or the words of the operating system.
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
            # A name, not a secret.
            "token": {"type": "str", "required": True, "no_log": False},
            "seconds": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    asked = module.params
    opened: dict[tuple[str, int], socket.socket] = {}
    unbound: dict[tuple[str, int], str] = {}
    if asked["close"] or asked["listen"]:
        port_probe.stop(asked["token"])
    if asked["listen"] and not module.check_mode:
        opened, unbound = port_probe.bind_all(endpoints(asked["listen"]))
        if opened:
            port_probe.serve_detached([*opened.values()], asked["token"], asked["seconds"])
    module.exit_json(
        changed=False,
        answers=port_probe.connect_all(endpoints(asked["connect"])),
        opened=[{"address": address, "port": port} for address, port in opened],
        unbound=[
            {"address": address, "port": port, "reason": reason}
            for (address, port), reason in unbound.items()
        ],
    )


if __name__ == "__main__":
    main()
