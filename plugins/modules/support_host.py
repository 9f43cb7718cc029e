#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: support_host
short_description: What one machine says of a cluster, as an archive without secrets
description:
  - Writes a tar.gz with the containers of a cluster as the engine sees them, the last lines of
    their logs, their configuration, and what the machine says of itself. What looks like a secret
    is taken out; of files that are their owner's alone, only the names are in it.
options:
  dest:
    description: Where the archive goes; for its owner alone.
    type: path
    required: true
  cluster:
    description: Name of the cluster; without it only O(figures) are gathered.
    type: str
    default: ''
  figures:
    description: Addresses whose answers belong into the archive, by name.
    type: dict
    default: {}
  metrics_password:
    description: Password of the user C(operator) at these addresses; empty if they require none.
    type: str
    default: ''
  lines:
    description: How many lines of each log are wanted.
    type: int
    default: 5000
  config_root:
    description: Directory with the configuration of containers.
    type: path
    default: /etc/kafka-metal
  log_root:
    description: Directory with the logs that services keep themselves.
    type: path
    default: /var/log/kafka-metal
  socket:
    description: Socket that the engine answers on.
    type: path
    default: /var/run/docker.sock
attributes:
  check_mode:
    description: Writes nothing.
    support: full
  diff_mode:
    description: An archive is no difference.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: What the machine says is gathered
  metal.kafka.support_host:
    dest: /var/lib/kafka-metal/support.tar.gz
    cluster: local
"""

RETURN = r"""
members:
  description: Names of what is in the archive.
  type: list
  elements: str
  returned: always
"""

import time
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._common import container_labels
from ..module_utils._containers.support import collector, text_archive
from ..module_utils._containers.support.redaction import redacted
from ..module_utils._host import engine_api


def main() -> None:
    """Gather, write, answer with names."""
    module = AnsibleModule(
        argument_spec={
            "dest": {"type": "path", "required": True},
            "cluster": {"type": "str", "default": ""},
            "figures": {"type": "dict", "default": {}},
            "metrics_password": {"type": "str", "default": "", "no_log": True},
            "lines": {"type": "int", "default": 5000},
            "config_root": {"type": "path", "default": "/etc/kafka-metal"},
            "log_root": {"type": "path", "default": "/var/log/kafka-metal"},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    cluster, dest = given["cluster"], Path(given["dest"])
    texts = {
        f"figures/{name}.txt": collector.fetched(at, given["metrics_password"])
        for name, at in given["figures"].items()
    }
    if cluster:
        texts |= collector.collect(
            f"{container_labels.CLUSTER}={cluster}",
            Path(given["config_root"]),
            Path(given["log_root"]),
            f"{cluster}-",
            given["lines"],
            given["socket"],
        )
    if not module.check_mode:
        try:
            dest.parent.mkdir(parents=True, exist_ok=True)
            text_archive.write(
                dest, {name: redacted(text) for name, text in texts.items()}, time.time()
            )
        except OSError as error:
            module.fail_json(msg=f"{dest} cannot be written: {error}")
    module.exit_json(changed=True, members=sorted(texts))


if __name__ == "__main__":
    main()
