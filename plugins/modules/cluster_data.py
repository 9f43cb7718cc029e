#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_data
short_description: Containers of a cluster on a machine, and the owners of directories
description:
  - Reads the marker that M(metal.kafka.service_files) writes into directories, the engine's
    containers with their labels and mounts, and the cluster id in C(meta.properties).
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  directories:
    description: Directories to inspect.
    type: list
    elements: path
    default: []
  shared_directory:
    description: Shared directory that contains O(directories) and that several clusters may use.
    type: path
  container:
    description: Name of a container that must belong to this cluster if it exists.
    type: str
  release:
    description: Whether to remove the cluster from the marker of O(shared_directory).
    type: bool
    default: false
  remove:
    description: >-
      Whether to kill and remove the containers of the cluster on this machine, by their label.
    type: bool
    default: false
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
attributes:
  check_mode:
    description: Writes and removes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Inspect the log dirs of a broker
  metal.kafka.cluster_data:
    cluster: prod
    container: prod-kafka1
    directories: [/data/disk1/kafka]
"""

RETURN = r"""
found:
  description: >-
    For each directory C(path), C(exists), C(empty), C(owners) (names of clusters; "" for a
    container that is not part of kafka-metal), C(cluster_id) and C(shared).
  type: list
  elements: dict
  returned: always
containers:
  description: >-
    Containers of the cluster on this machine, including those removed by O(remove); none with
    O(container) or O(shared_directory).
  type: list
  elements: str
  returned: always
clusters:
  description: Clusters that have containers on this machine.
  type: list
  elements: str
  returned: always
problem:
  description: Why the state is unknown, or the owner of O(container); empty without a problem.
  type: str
  returned: always
"""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._common import container_labels
from ..module_utils._containers import container_state
from ..module_utils._host import data_ownership, engine_api, engine_facts


def list_containers(socket: str) -> list[dict[str, Any]]:
    """Return all containers of the engine; none if no engine is installed.

    Raises EngineError if an installed engine does not run: it may have containers.
    """
    if not os.path.exists(socket):
        if engine_facts.is_installed():
            raise engine_api.EngineError(f"{socket} is missing, although an engine is installed")
        return []
    return list(json.loads(engine_api.get(socket, "/containers/json?all=1", 30) or b"[]"))


def container_cluster(container: Mapping[str, Any]) -> str:
    """Return the cluster of a container, from its label."""
    return container_labels.label_from_list(container, container_labels.CLUSTER)


def container_name(container: Mapping[str, Any]) -> str:
    """Return a container's own name; names such as OTHER/NAME are links."""
    names: list[str] = [name.lstrip("/") for name in container["Names"]]
    return min(names, key=lambda name: name.count("/"))


def remove(containers: Iterable[Mapping[str, Any]], socket: str) -> str:
    """Remove all containers; return the errors, empty without any."""
    problems = []
    for each in containers:
        try:
            container_state.remove(each["Id"], socket)
        except engine_api.EngineError as error:
            problems.append(f"container {container_name(each)}: {error}")
    return "\n".join(problems)


def main() -> None:
    """Inspect directories; on request release a shared one, or remove containers."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "directories": {"type": "list", "elements": "path", "default": []},
            "shared_directory": {"type": "path"},
            "container": {"type": "str"},
            "release": {"type": "bool", "default": False},
            "remove": {"type": "bool", "default": False},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    problem, containers = "", []
    try:
        containers = list_containers(given["socket"])
    except engine_api.EngineError as error:
        problem = f"{error}; without it the containers that use the data are unknown"
    name = given["container"]
    for each in containers:
        if name and f"/{name}" in each["Names"] and container_cluster(each) != given["cluster"]:
            cluster = container_cluster(each) or "no cluster of kafka-metal"
            problem = f"container {name} belongs to {cluster}"
    own = [each for each in containers if container_cluster(each) == given["cluster"]]
    if given["remove"] and (problem or not module.check_mode):
        problem = problem or remove(own, given["socket"])
        if problem:
            module.fail_json(msg=problem, problem=problem)
    changed = given["release"] and given["cluster"] in data_ownership.read_owners(
        given["shared_directory"]
    )
    if changed and not module.check_mode:
        data_ownership.release(given["shared_directory"], given["cluster"])
    module.exit_json(
        changed=changed or bool(given["remove"] and own),
        found=[
            data_ownership.inspect(path.rstrip("/"), containers, given["shared_directory"] or "")
            for path in given["directories"]
        ],
        containers=sorted(
            container_name(each) for each in own if not name and not given["shared_directory"]
        ),
        clusters=sorted({container_cluster(each) for each in containers} - {""}),
        problem=problem,
    )


if __name__ == "__main__":
    main()
