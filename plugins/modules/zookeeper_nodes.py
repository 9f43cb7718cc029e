#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: zookeeper_nodes
short_description: Set ACLs of znodes
description:
  - Sets the ACLs of znodes of a ZooKeeper ensemble, authenticated by a client certificate.
    Changes no data.
  - Uses the first server that accepts a session.
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
        description: Host of the server's client port.
        type: str
        required: true
      port:
        description: Client port of the server.
        type: int
        default: 2181
      other_ports:
        description: Ports to try if O(servers[].port) accepts no session.
        type: list
        elements: int
        default: []
  ca_file:
    description: PEM of the CA of the servers' certificates.
    type: path
    required: true
  cert_file:
    description: PEM with the client's key and certificate.
    type: path
    required: true
  nodes:
    description: The znodes, parents first.
    type: list
    elements: dict
    required: true
    suboptions:
      path:
        description: Path of the znode.
        type: str
        required: true
      acls:
        description: Complete ACL of the znode; all other access is denied.
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
        description: Whether to create a missing znode; otherwise it is skipped.
        type: bool
        default: false
  timeout:
    description: Seconds to wait for one response.
    type: float
    default: 10
attributes:
  check_mode:
    description: >-
      Reports what would change, and changes nothing. If no server is reachable, reports a change.
    support: full
  diff_mode:
    description: The changes are in RV(steps).
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Restrict writes to the root znode to brokers
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
  description: Changes, or those planned in check mode, one message for each znode.
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
    "other_ports": {"type": "list", "elements": "int", "default": []},
}
NODE = {
    "path": {"type": "str", "required": True},
    "acls": {"type": "list", "elements": "dict", "options": ACL, "required": True},
    "create": {"type": "bool", "default": False},
}


def main() -> None:
    """Compare the ACLs and change those that differ."""
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
        tls = zookeeper_servers.tls_context(given["ca_file"], given["cert_file"])
        with zookeeper_client.first_available(given["servers"], given["timeout"], tls) as session:
            nodes = zookeeper_acls.read(given["nodes"])
            changes = zookeeper_acls.differences(session, nodes)
            if not module.check_mode:
                zookeeper_acls.apply(session, changes, nodes)
    except OSError as error:
        if module.check_mode:
            # On a new site the ensemble does not run yet, so the znodes are unknown.
            steps = [f"ACLs of znodes are set when the ensemble is available ({error})"]
            module.exit_json(changed=True, steps=steps)
        module.fail_json(msg=f"the ZooKeeper ensemble is unreachable: {error}")
    except zookeeper_client.ZooKeeperError as error:
        module.fail_json(msg=f"ACLs of znodes cannot be set: {error}")
    module.exit_json(changed=bool(changes), steps=zookeeper_acls.messages(changes))


if __name__ == "__main__":
    main()
