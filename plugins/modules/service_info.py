#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: service_info
short_description: Containers of a kind of service on a machine, its image, a file and a directory
description:
  - Queries the engine over its socket, needs no library, and does not fail without an engine.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  service:
    description: Kind of service, the label of its containers.
    type: str
    required: true
  image:
    description: Image, reported in C(has_image).
    type: str
    default: ""
  line_of:
    description: File whose first line is read.
    type: path
  directory:
    description: Directory, reported in C(has_directory).
    type: path
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read drivers and the digest of the pipelines that were last checked
  metal.kafka.service_info:
    cluster: local
    service: pipeline
    image: kafka-metal/pipeline:4.2.1-0123456789ab
    line_of: /etc/kafka-metal/.as-left/local@sql
    directory: /srv/shared
  register: drivers
"""

RETURN = r"""
containers:
  description: Containers of the service as the engine lists them; empty without an engine.
  type: list
  elements: dict
  returned: always
has_image:
  description: Whether the engine has O(image).
  type: bool
  returned: always
line:
  description: The first line of O(line_of); empty without the file.
  type: str
  returned: always
has_directory:
  description: Whether O(directory) is a directory.
  type: bool
  returned: always
engine_error:
  description: Why the engine does not respond; empty if it does.
  type: str
  returned: always
"""

import os
from urllib.parse import quote

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._common import container_labels
from ..module_utils._host import container_list, engine_api, machine_facts


def main() -> None:
    """Read containers, image, file and directory."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "service": {"type": "str", "required": True},
            "image": {"type": "str", "default": ""},
            "line_of": {"type": "path"},
            "directory": {"type": "path"},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    containers, has_image, error = [], False, ""
    try:
        containers = [
            each
            for each in container_list.list_from_engine(given["socket"], given["cluster"])
            if container_labels.label_from_list(each, container_labels.SERVICE) == given["service"]
        ]
        if given["image"]:
            request = f"/images/{quote(given['image'], safe='')}/json"
            has_image = engine_api.get(given["socket"], request) is not None
    except engine_api.EngineError as engine_error:
        error = str(engine_error)
    module.exit_json(
        changed=False,
        containers=containers,
        has_image=has_image,
        line=machine_facts.read_text_or(given["line_of"] or "", "").partition("\n")[0],
        has_directory=os.path.isdir(given["directory"] or ""),
        engine_error=error,
    )


if __name__ == "__main__":
    main()
