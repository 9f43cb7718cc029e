#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: support_host
short_description: Support archive of one machine, without secrets
description:
  - Writes a tar.gz with the inspections of a cluster's containers, the tails of their logs, their
    configuration, and facts of the machine. Values that look like secrets are removed; files that
    only their owner may read are listed by name.
options:
  dest:
    description: Path of the archive; its mode is 0600.
    type: path
    required: true
  cluster:
    description: Name of the cluster; if empty, only O(metrics) are collected.
    type: str
    default: ''
  metrics:
    description: URLs of metrics whose responses are added to the archive, by name.
    type: dict
    default: {}
  metrics_password:
    description: Password of the user C(operator) at these URLs; empty if they require none.
    type: str
    default: ''
  lines:
    description: Number of lines of each log.
    type: int
    default: 5000
  config_root:
    description: Directory with the configuration of containers.
    type: path
    default: /etc/kafka-metal
  log_root:
    description: Directory with the log files of services.
    type: path
    default: /var/log/kafka-metal
  socket:
    description: Socket of the engine.
    type: path
    default: /var/run/docker.sock
attributes:
  check_mode:
    description: Writes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Collect the machine's support archive
  metal.kafka.support_host:
    dest: /var/lib/kafka-metal/support.tar.gz
    cluster: local
"""

RETURN = r"""
members:
  description: Names of the texts in the archive.
  type: list
  elements: str
  returned: always
"""

import time
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._common import container_labels
from ..module_utils._containers.support import collector, text_archive
from ..module_utils._containers.support.redaction import redact
from ..module_utils._host import engine_api


def main() -> None:
    """Collect the texts and write the archive."""
    module = AnsibleModule(
        argument_spec={
            "dest": {"type": "path", "required": True},
            "cluster": {"type": "str", "default": ""},
            "metrics": {"type": "dict", "default": {}},
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
        f"metrics/{name}.txt": collector.fetch(url, given["metrics_password"])
        for name, url in given["metrics"].items()
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
                dest, {name: redact(text) for name, text in texts.items()}, time.time()
            )
        except OSError as error:
            module.fail_json(msg=f"{dest} cannot be written: {error}")
    module.exit_json(changed=True, members=sorted(texts))


if __name__ == "__main__":
    main()
