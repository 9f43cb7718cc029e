#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: last_good
short_description: Save or read the last good declaration of a container
description:
  - Saves the declaration of a healthy container, so that a failed change can be undone, or reads
    the saved one.
options:
  path:
    description: >-
      File of the declaration. It contains secrets - only the user of the module may read it and its
      directory, which is created.
    type: path
    required: true
  declaration:
    description: The declaration to save; without it, the saved one is read.
    type: dict
attributes:
  check_mode:
    description: Saves nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Save the declaration of a healthy broker
  metal.kafka.last_good:
    path: /etc/kafka-metal/.last-good/local-kafka1.json
    declaration: {definition: {image: kafka-metal/kafka}, files: [], user: {uid: 10001}}
  no_log: true
"""

RETURN = r"""
declaration:
  description: The saved declaration; empty without one.
  type: dict
  returned: without O(declaration)
"""

import json
import os

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import config_files


def main() -> None:
    """Save the declaration if there is one, else read it."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "declaration": {"type": "dict", "no_log": True},
        },
        supports_check_mode=True,
    )
    path, given = module.params["path"], module.params["declaration"]
    try:
        saved = config_files.read(path)
        if given is None:
            module.exit_json(changed=False, declaration=json.loads(saved or "{}"))
        text = json.dumps(given, sort_keys=True)
        if not module.check_mode:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            if text != saved:
                config_files.write(path, text, 0o600, os.geteuid(), os.getegid())
    except (OSError, ValueError) as error:
        module.fail_json(
            msg=f"{path}: the last good declaration cannot be read or written: {error}; allowed: a "
            "file that a run has written, or none"
        )
    # Not part of the managed platform: report no change.
    module.exit_json(changed=False)


if __name__ == "__main__":
    main()
