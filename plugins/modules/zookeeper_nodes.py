#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: zookeeper_nodes
short_description: ACLs of nodes of a ZooKeeper ensemble
description:
  - Gives nodes their ACLs, with the rights of whoever's certificate is shown. Touches no data.
  - Takes the first server that gives a session.
options:
  servers:
    description: The servers of the ensemble.
    type: list
    elements: dict
    required: true
    suboptions:
      id:
        description: Id of the server.
        type: int
      host:
        description: Where it listens for clients.
        type: str
        required: true
      port:
        description: Its client port.
        type: int
        default: 2181
      also:
        description: Ports to try where there is no session at O(servers[].port).
        type: list
        elements: int
        default: []
  ca_file:
    description: CA that the servers' certificates come from, PEM.
    type: path
    required: true
  cert_file:
    description: Key and certificate that are shown to the servers, one PEM file.
    type: path
    required: true
  nodes:
    description: The nodes, parents first.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Its path.
        type: str
        required: true
      acls:
        description: Who may do what with it; nobody else may do anything.
        type: list
        elements: dict
        required: true
        suboptions:
          scheme:
            description: Kind of O(nodes[].acls[].id), such as C(x509) or C(world).
            type: str
            required: true
          id:
            description: Subject of a certificate, or V(anyone).
            type: str
            required: true
          rights:
            description: Letters of C(cdrwa).
            type: str
            required: true
      create:
        description: Makes it when it is not there; else such a node is passed over.
        type: bool
        default: false
  timeout:
    description: Seconds to wait for one answer.
    type: float
    default: 10
attributes:
  check_mode:
    description: >-
      Says what would change and touches nothing. Where no server can be reached, all of it would.
    support: full
  diff_mode:
    description: The changes are in RV(steps).
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Only brokers write the root
  metal.kafka.zookeeper_nodes:
    servers: [{host: zk1, port: 2181}]
    ca_file: /etc/kafka-metal/payments-kafka1/ca.pem
    cert_file: /etc/kafka-metal/payments-kafka1/ensemble.pem
    nodes:
      - path: /
        acls:
          - {scheme: x509, id: "CN=brokers,O=payments", rights: cdrwa}
          - {scheme: world, id: anyone, rights: r}
"""

RETURN = r"""
steps:
  description: What was changed, or in check mode would be, one message for each node.
  type: list
  elements: str
  returned: success
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._services import zookeeper_acls, zookeeper_client, zookeeper_servers

ACL = {
    "scheme": {"type": "str", "required": True},
    "id": {"type": "str", "required": True},
    "rights": {"type": "str", "required": True},
}
SERVER = {
    "id": {"type": "int"},
    "host": {"type": "str", "required": True},
    "port": {"type": "int", "default": 2181},
    "also": {"type": "list", "elements": "int", "default": []},
}
NODE = {
    "path": {"type": "str", "required": True},
    "acls": {"type": "list", "elements": "dict", "options": ACL, "required": True},
    "create": {"type": "bool", "default": False},
}


def main() -> None:
    """Compare, change, tell."""
    module = AnsibleModule(
        argument_spec={
            "servers": {"type": "list", "elements": "dict", "options": SERVER, "required": True},
            "ca_file": {"type": "path", "required": True},
            "cert_file": {"type": "path", "required": True},
            "nodes": {"type": "list", "elements": "dict", "options": NODE, "required": True},
            "timeout": {"type": "float", "default": 10},
        },
        supports_check_mode=True,
    )
    given = module.params
    try:
        tls = zookeeper_servers.tls_of(given["ca_file"], given["cert_file"])
        with zookeeper_client.first_available(given["servers"], given["timeout"], tls) as session:
            nodes = zookeeper_acls.read(given["nodes"])
            changes = zookeeper_acls.differences(session, nodes)
            if not module.check_mode:
                zookeeper_acls.apply(session, changes, nodes)
    except OSError as error:
        if module.check_mode:
            # A fresh site: what runs first decides what there is.
            steps = [f"nodes of the ensemble: given to their owners once it serves ({error})"]
            module.exit_json(changed=True, steps=steps)
        module.fail_json(msg=f"the ZooKeeper ensemble is unreachable: {error}")
    except zookeeper_client.ZooKeeperError as error:
        module.fail_json(msg=f"the ensemble's nodes cannot be given to their owners: {error}")
    module.exit_json(changed=bool(changes), steps=zookeeper_acls.messages(changes))


if __name__ == "__main__":
    main()
