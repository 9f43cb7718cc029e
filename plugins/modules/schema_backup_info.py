#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: schema_backup_info
short_description: Number of schemas in a backup of the schema registry
description:
  - Reads the index of a backup, and fails if the file is not a complete backup. Reads no schema.
options:
  path:
    description: Path of the backup.
    type: path
    required: true
attributes:
  check_mode:
    description: Reads only.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the numbers of a backup
  metal.kafka.schema_backup_info:
    path: schemas.zip
"""

RETURN = r"""
subjects:
  description: Number of subjects, also of deleted ones.
  type: int
  returned: success
  sample: 2
versions:
  description: Number of versions of all subjects, also of deleted ones.
  type: int
  returned: success
  sample: 3
size:
  description: Size of the file in bytes.
  type: int
  returned: success
"""

import os
import re
import zipfile

from ansible.module_utils.basic import AnsibleModule

_MANIFEST = re.compile(r"manifest-[^/]*\.Manifest\.json")
_SUBJECT = re.compile(r"groups/[^/]+/artifacts/.+/MetaData\.Artifact\.json")
_VERSION = re.compile(r"groups/[^/]+/artifacts/.+/versions/[^/]+\.ArtifactVersion\.json")


def count(path: str) -> dict[str, int]:
    """Return numbers of subjects and versions; raise ValueError with what is wrong."""
    try:
        # Others, such as a named pipe, would block or have no end.
        if not os.path.isfile(path) and os.path.exists(path) and not os.path.isdir(path):
            raise ValueError("found no regular file")
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        # Damaged indexes have errors of several classes.
        raise ValueError("found no zip file, or an incomplete one") from error
    if not any(_MANIFEST.fullmatch(name) for name in names):
        raise ValueError("found a zip file without the manifest of a backup of schemas")
    return {
        "subjects": sum(1 for name in names if _SUBJECT.fullmatch(name)),
        "versions": sum(1 for name in names if _VERSION.fullmatch(name)),
    }


def main() -> None:
    """Read the file and return its numbers."""
    module = AnsibleModule(
        argument_spec={"path": {"type": "path", "required": True}}, supports_check_mode=True
    )
    path = module.params["path"]
    try:
        found = count(path)
    except ValueError as error:
        module.fail_json(
            msg=f"Nothing was touched: {path}: {error}; allowed: a file of `make schemas-backup`"
        )
    module.exit_json(changed=False, size=os.path.getsize(path), **found)


if __name__ == "__main__":
    main()
