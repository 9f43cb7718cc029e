#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: connected_clients
short_description: Clients connected to ports of a host
description:
  - Reads the kernel's table of connections, to check that no client uses a port to be closed.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  ports:
    description: Ports of the host.
    type: list
    elements: int
    required: true
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until no client uses the plaintext listener
  metal.kafka.connected_clients:
    ports: [9092]
  register: connected
  until: connected.clients | length == 0
  retries: 30
  delay: 2
"""

RETURN = r"""
clients:
  description: >-
    Messages such as C(port 9092: 10.0.0.7 (3 connections)), one for each port and address.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import connected_clients


def main() -> None:
    """Read the connections and return messages."""
    module = AnsibleModule(
        argument_spec={"ports": {"type": "list", "elements": "int", "required": True}},
        supports_check_mode=True,
    )
    found = connected_clients.count_connections(module.params["ports"])
    messages = [
        f"port {port}: {peer} ({count} connection{'s' if count > 1 else ''})"
        for port, peers in sorted(found.items())
        for peer, count in sorted(peers.items())
    ]
    module.exit_json(changed=False, clients=messages)


if __name__ == "__main__":
    main()
