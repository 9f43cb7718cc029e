#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_state
author: The kafka-metal authors (!UNKNOWN)
short_description: State of a machine for the status screen
extends_documentation_fragment: [metal.kafka.only_reads]
description:
  - Reads in one step whether the machine has services of a cluster, whether its container engine
    responds, problems of the cluster's containers, and the operation that holds the cluster's lock.
  - Queries the engine over its socket, and needs no library.
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  machine:
    description: Name of the machine, for messages.
    type: str
    required: true
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
  directories:
    description: Directories of the cluster's services; only those of this machine exist.
    type: list
    elements: path
    default: []
  baseline:
    description: >-
      File in which the last complete run wrote the state of the machine. Containers that are gone
      and configuration that has changed since are problems; empty for none.
    type: str
    default: ''
  declared:
    description: >-
      Names of the instances that the inventory has on this machine, by kind of service.
      RV(containers) has only a note of each other container of these kinds.
    type: dict
    required: true
  textfile_dir:
    description: Directory of M(metal.kafka.maintenance) on the machine; empty for none.
    type: str
    default: ''
  connections:
    description: >-
      Endpoints on other machines that services of this machine need, each with C(address) and
      C(port). The module connects to each of them.
    type: list
    elements: dict
    default: []
  locks:
    description: Directory of locks on the machine.
    type: path
    default: /var/lib/kafka-metal/locks
"""

EXAMPLES = r"""
- name: Read the state of the machine
  metal.kafka.machine_state:
    cluster: prod
    machine: "{{ inventory_hostname }}"
    directories: [/etc/kafka-metal/prod-kafka1]
    declared: {kafka_broker: [kafka1], prometheus: []}
  register: state
"""

RETURN = r"""
has_services:
  description: Whether one of O(directories) exists.
  type: bool
  returned: always
engine_error:
  description: Why the engine does not respond; empty if it does.
  type: str
  returned: always
running:
  description: Number of the cluster's containers that run, without those that are not declared.
  type: int
  returned: always
containers:
  description: >-
    Problems of the cluster's containers, each with C(kind), C(where) (the instance), C(severity),
    C(text), C(command), C(since) and, of an existing container, C(service), its kind of service.
    A note of one that is not declared has no C(service).
  type: list
  elements: dict
  returned: always
  sample:
    - kind: ContainerKilled
      where: kafka2
      severity: page
      text: kafka2 was killed, it needed more than its limit of 640 MiB of memory
      command: make logs S=kafka2
      since: 1767225540.0
      service: kafka_broker
failed_connections:
  description: >-
    Those of O(connections) that the network does not reach, or not in time, each with C(state), the
    reason. A refused connection is not one of them.
  type: list
  elements: dict
  returned: always
operation:
  description:
    - C(now) on the machine; C(lock) as RV(metal.kafka.cluster_lock#module:lock), null for none;
      C(active), time of the operation's last activity, 0 if unknown; C(silenced_until), end of
      the silence of alerts by name of an instance or machine. All in seconds since 1970.
  type: dict
  returned: always
"""

import os
import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._common.deadlines import query_all
from ..module_utils._containers import container_faults
from ..module_utils._containers.manual_changes import manual_changes
from ..module_utils._containers.undeclared_containers import split_by_declaration, undeclared
from ..module_utils._host import (
    container_list,
    engine_api,
    engine_facts,
    operation_lock,
    operation_state,
    port_probe,
)

# A lost packet is sent again after a second; a status does not wait for the next one.
CONNECT_SECONDS = 2.0
# Connections at the same time.
THREADS = 64
# The network works: a service that does not listen has other problems, and some ports only listen
# on the leader.
CONNECTED = ("connected", "refused")


def failed_connections(wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the endpoints that the network does not reach in time, each with its state."""
    endpoints = [(str(each["address"]), int(each["port"])) for each in wanted]
    limit = -(-len(endpoints) // THREADS) * (CONNECT_SECONDS + 0.5)
    states = query_all(
        endpoints,
        lambda endpoint: port_probe.connect(endpoint, CONNECT_SECONDS),
        limit,
        THREADS,
    )
    # A slow resolver, or a name with several addresses that do not respond, exceeds the limit.
    late = f"no result in {limit:g} s"
    found = [{**each, "state": states.get(end, late)} for each, end in zip(wanted, endpoints)]
    return [each for each in found if each["state"] not in CONNECTED]


def main() -> None:
    """Read the state of the machine."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "machine": {"type": "str", "required": True},
            "socket": {"type": "path", "default": engine_api.SOCKET},
            "directories": {"type": "list", "elements": "path", "default": []},
            "declared": {"type": "dict", "required": True},
            "baseline": {"type": "str", "default": ""},
            "textfile_dir": {"type": "str", "default": ""},
            "connections": {"type": "list", "elements": "dict", "default": []},
            "locks": {"type": "path", "default": operation_lock.DIRECTORY},
        },
        supports_check_mode=True,
    )
    spec = module.params
    error = engine_facts.no_response_reason(spec["socket"])
    faults: list[dict[str, Any]] = []
    running = 0
    if not error:
        engine = spec["socket"], spec["cluster"]
        try:
            inspected = container_list.inspect_cluster_containers(*engine)
            ours, others = split_by_declaration(inspected, spec["declared"])
            found = container_faults.faults(ours, *engine, spec["machine"], time.time())
        except engine_api.EngineError as engine_error:
            error = str(engine_error)
        else:
            running = sum(bool((each.get("State") or {}).get("Running")) for each in ours)
            changes = manual_changes(
                inspected, spec["cluster"], spec["baseline"], spec["machine"], spec["declared"]
            )
            notes = undeclared(others, spec["machine"])
            faults = [each.as_dict() for each in found]
            faults += [each.as_dict() for each in changes + notes]
    module.exit_json(
        changed=False,
        has_services=any(os.path.isdir(each) for each in spec["directories"]),
        engine_error=error,
        running=running,
        containers=faults,
        failed_connections=failed_connections(spec["connections"]),
        operation=operation_state.read(spec["cluster"], spec["textfile_dir"], spec["locks"]),
    )


if __name__ == "__main__":
    main()
