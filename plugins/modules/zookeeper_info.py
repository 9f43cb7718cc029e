#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: zookeeper_info
short_description: State of a ZooKeeper ensemble
description:
  - Queries all servers in parallel with the four-letter word command C(srvr), which ZooKeeper
    allows by default, and reports whether they form one quorum.
  - Does not fail if a server does not respond; its C(error) has the reason.
extends_documentation_fragment: [metal.kafka.only_reads]
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
        required: true
      host:
        description: Host of the server's client port.
        type: str
        required: true
      port:
        description: Client port of the server.
        type: int
        default: 2181
      other_ports:
        description: Ports to try, in order, if it does not respond at O(servers[].port).
        type: list
        elements: int
        default: []
  ca_file:
    description: PEM of the CA of the servers' certificates; enables TLS.
    type: path
  cert_file:
    description: PEM with the client's key and certificate.
    type: path
  before_stop:
    description: Id of a server to be stopped; adds RV(stop) to the result.
    type: int
  timeout:
    description: Seconds to wait for one server.
    type: float
    default: 5
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until the ZooKeeper ensemble has a leader and all others follow
  metal.kafka.zookeeper_info:
    servers:
      - {id: 1, host: zk1, port: 2181}
      - {id: 2, host: zk2, port: 2181}
      - {id: 3, host: zk3, port: 2181}
  register: ensemble
  until: ensemble.quorum
  retries: 30
  delay: 2
"""

RETURN = r"""
servers:
  description: >-
    Servers in the order of O(servers), with C(id), C(host), C(port), C(mode) (leader, follower,
    observer or standalone), C(version), C(zxid), C(connections), or C(error) without a state.
  type: list
  elements: dict
  returned: always
leader:
  description: Id of the server that leads; null unless there is exactly one leader.
  type: int
  returned: always
quorum:
  description: Whether one server is leader and all others follow.
  type: bool
  returned: always
available:
  description: Whether the ensemble serves clients - it has a leader and a majority.
  type: bool
  returned: always
problems:
  description: Problems, one message each.
  type: list
  elements: str
  returned: always
stop:
  description: >-
    Whether the others keep the quorum without the server O(before_stop), as C(safe), and the
    C(blockers), one message each.
  type: dict
  returned: when O(before_stop) is given
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._services import zookeeper_servers


def main() -> None:
    """Read the states of all servers and report on the ensemble."""
    module = AnsibleModule(
        argument_spec={
            "servers": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "id": {"type": "int", "required": True},
                    "host": {"type": "str", "required": True},
                    "port": {"type": "int", "default": 2181},
                    "other_ports": {"type": "list", "elements": "int", "default": []},
                },
            },
            "ca_file": {"type": "path"},
            "cert_file": {"type": "path"},
            "before_stop": {"type": "int"},
            "timeout": {"type": "float", "default": 5},
        },
        required_by={"cert_file": "ca_file"},
        supports_check_mode=True,
    )
    try:
        tls = zookeeper_servers.tls_context(module.params["ca_file"], module.params["cert_file"])
    except OSError as error:
        module.fail_json(msg=f"the files for TLS cannot be used: {error}")
    servers = zookeeper_servers.query_servers(
        module.params["servers"], module.params["timeout"], tls
    )
    stopping = module.params["before_stop"]
    stop = {} if stopping is None else {"stop": zookeeper_servers.before_stop(servers, stopping)}
    module.exit_json(changed=False, **zookeeper_servers.report(servers), **stop)


if __name__ == "__main__":
    main()
