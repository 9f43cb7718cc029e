#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: container_faults
author: The kafka-metal authors (!UNKNOWN)
short_description: Report containers of a cluster that were killed or do not stay up
extends_documentation_fragment: [metal.kafka.only_reads]
description:
  - Queries the engine of a machine over its socket, and needs no library. Without an engine
    RV(problems) is empty.
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
"""

EXAMPLES = r"""
- name: Read which containers do not stay up
  metal.kafka.container_faults: {cluster: local}
  register: faults
"""

RETURN = r"""
problems:
  description: Problems, one message each.
  type: list
  elements: str
  returned: always
  sample: ["kafka2 was killed: it needed more than its limit of 640 MiB of memory"]
"""

import time

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import container_faults
from ..module_utils._host import engine_api


def main() -> None:
    """Read exit codes and OOM kills of the cluster's containers, and return messages."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    engine = module.params["socket"], module.params["cluster"]
    module.exit_json(changed=False, problems=container_faults.faults(*engine, time.time()))


if __name__ == "__main__":
    main()
