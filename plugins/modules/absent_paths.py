#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: absent_paths
short_description: Delete files and directories in one round trip
description:
  - Deletes files, and directories with their content. Links are deleted, not their targets.
  - Continues when a path cannot be deleted, and fails at the end.
options:
  paths:
    description: Absolute paths of files and directories.
    type: list
    elements: path
    required: true
attributes:
  check_mode:
    description: Reports what would be deleted.
    support: full
  diff_mode:
    description: Lists the deleted paths.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Delete configuration and logs of a container
  metal.kafka.absent_paths:
    paths: [/etc/kafka-metal/prod-kafka1, /var/log/kafka-metal/prod-kafka1]
"""

RETURN = r"""
deleted:
  description: The paths that existed.
  type: list
  elements: str
  returned: always
"""

import os
import shutil

from ansible.module_utils.basic import AnsibleModule


def delete(path: str) -> None:
    """Delete a file, a link, or a directory with its content; raises OSError."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def main() -> None:
    """Check all paths, then delete them in order."""
    module = AnsibleModule(
        argument_spec={"paths": {"type": "list", "elements": "path", "required": True}},
        supports_check_mode=True,
    )
    # With a trailing slash a link would resolve to its target.
    paths = list(dict.fromkeys(path.rstrip("/") for path in module.params["paths"]))
    if relative := [path for path in paths if not path.startswith("/")]:
        module.fail_json(
            msg=f"nothing was deleted: found the path {relative[0] or '/'!r}; allowed: absolute "
            "paths below the root",
            deleted=[],
        )
    found = [path for path in paths if os.path.lexists(path)]
    problems = []
    for path in [] if module.check_mode else found:
        try:
            delete(path)
        except OSError as error:
            problems.append(f"{path}: {error}")
    result = {
        "deleted": found,
        "diff": {"before": "".join(f"{path}\n" for path in found), "after": ""},
    }
    if problems:
        module.fail_json(msg="\n".join(problems), changed=True, **result)
    module.exit_json(changed=bool(found), **result)


if __name__ == "__main__":
    main()
