#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: declared_content
short_description: The declared topics of a cluster, for its page
description:
  - Writes the declared topics of a cluster to a file. The exporter reads it at each interval, and
    compares it with the cluster.
options:
  directory:
    description: Directory of the file. It is created if it is missing.
    type: path
    required: true
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  declared:
    description: >-
      Declared content, as P(metal.kafka.site#lookup) returns it for C(content.declared). Only its
      C(topics) are written. If it is empty, as for a cluster that is deleted or a declaration that
      is invalid, the file is deleted, and nothing is compared.
    type: dict
    required: true
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
- name: Write the declared topics for the cluster's page
  metal.kafka.declared_content:
    directory: /var/lib/kafka-metal/textfile
    cluster: local
    declared: "{{ lookup('metal.kafka.site', 'content.declared') }}"
"""

RETURN = r"""
path:
  description: Path of the file.
  type: str
  returned: success
"""

import json
import os

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import maintenance_files
from ..module_utils._problems import content_problems


def main() -> None:
    """Write the file, except in check mode."""
    module = AnsibleModule(
        argument_spec={
            "directory": {"type": "path", "required": True},
            "cluster": {"type": "str", "required": True},
            "declared": {"type": "dict", "required": True},
        },
        supports_check_mode=True,
    )
    directory, declared = module.params["directory"], module.params["declared"]
    path = os.path.join(directory, content_problems.FILE.format(cluster=module.params["cluster"]))
    if not module.check_mode:
        try:
            if declared:
                topics = {"topics": declared["topics"]}
                maintenance_files.write_text(path, json.dumps(topics, sort_keys=True))
            else:
                maintenance_files.remove(path)
        except OSError as error:
            module.fail_json(
                msg=f"the declared content cannot be written for monitoring: {error}; required: a "
                f"writable directory {directory}"
            )
    # The file is not part of the managed platform.
    module.exit_json(changed=False, path=path)


if __name__ == "__main__":
    main()
