#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_connections
short_description: Open connections of a broker's listeners, and addresses of brokers
description:
  - >-
    Reads the inputs for limits of connections: open connections from the kernel, and the addresses
    to which names of brokers resolve on this host. Names that do not resolve are omitted.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  ports:
    description: Ports by name of listener.
    type: dict
    required: true
  names:
    description: Names or addresses of brokers.
    type: list
    elements: str
    default: []
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the open connections of a broker
  metal.kafka.broker_connections:
    ports: {CLIENTS: 9092, BROKERS: 9192}
    names: [kafka1.example, kafka2.example]
  register: connections
"""

RETURN = r"""
listeners:
  description: Number of open connections by listener.
  type: dict
  returned: always
  sample: {CLIENTS: 120, BROKERS: 9}
addresses:
  description: Number of open connections to all these listeners, by remote address.
  type: dict
  returned: always
  sample: {10.0.0.7: 12}
exempt:
  description: Addresses of O(names) and the loopback address of this host, sorted.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import connected_clients


def main() -> None:
    """Read connections and addresses."""
    module = AnsibleModule(
        argument_spec={
            "ports": {"type": "dict", "required": True},
            "names": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    ports = {name: int(port) for name, port in module.params["ports"].items()}
    found = connected_clients.count_connections(ports.values())
    addresses: dict[str, int] = {}
    for peers in found.values():
        for peer, count in peers.items():
            addresses[peer] = addresses.get(peer, 0) + count
    module.exit_json(
        changed=False,
        listeners={name: sum(found.get(port, {}).values()) for name, port in ports.items()},
        addresses=addresses,
        exempt=connected_clients.resolve_names(["127.0.0.1", *module.params["names"]]),
    )


if __name__ == "__main__":
    main()
