#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: service_files
short_description: Directories and configuration files of one container, in one round trip
description:
  - Makes directories and writes small files with the given owner. Files that the declaration no
    longer names are removed from O(dest), so that a container never reads yesterday's file.
options:
  directories:
    description: Directories that exist and belong to the owner. Their content is never touched.
    type: list
    elements: path
    default: []
  disk_mounts:
    description:
      - Mount points of data disks. A directory below one of them is made only on its disk; while
        the disk is not mounted, or cannot be read or written, the directory is in RV(unavailable)
        and nothing is made in its place.
    type: list
    elements: path
    default: []
  directory_mode:
    description: Permissions of directories that are made, octal.
    type: str
    default: '0750'
  dest:
    description: Directory that holds the files. Everything else in it is removed, but O(keep).
    type: path
    required: true
  files:
    description: >-
      Files, each with C(name), C(content) and optionally C(mode), an octal string.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the file inside O(dest).
        type: str
        required: true
      content:
        description: What the file holds.
        type: str
        required: true
      mode:
        description: Permissions, octal.
        type: str
        default: '0440'
      static:
        description: The part of the content that makes a restart necessary; not used here.
        type: str
  secret_files:
    description:
      - Files whose content nobody else may see, each with C(name), C(content) and optionally
        C(mode), an octal string. They are never shown, not even as a difference.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the file inside O(dest).
        type: str
        required: true
      content:
        description: What the file holds.
        type: str
        required: true
      mode:
        description: Permissions, octal.
        type: str
        default: '0400'
  keep:
    description: Names of files in O(dest) that somebody else writes; they are left as they are.
    type: list
    elements: str
    default: []
  owner:
    description: User id of directories and files; without it they belong to whoever runs this.
    type: int
  group:
    description: Group id of directories and files; without it, the group of whoever runs this.
    type: int
  owner_of:
    description:
      - Whose O(directories) are, written into each as a marker, so that nobody deletes or uses them
        for another cluster. One that another cluster's marker is in is refused before anything is
        written.
    type: dict
    suboptions:
      cluster:
        description: Name of the cluster.
        type: str
        required: true
      service:
        description: Name of the service in it.
        type: str
        required: true
      shared:
        description: Those of O(directories) that other clusters may use as well.
        type: list
        elements: path
        default: []
  container:
    description: The container that reads the files, to be looked at in the same execution.
    type: dict
    suboptions:
      name:
        description: Its name.
        type: str
        required: true
      declared:
        description: Fingerprint of its declaration.
        type: str
        required: true
      kept:
        description: File in which M(metal.kafka.container_left) has written how it was left.
        type: path
        required: true
      socket:
        description: Socket of the engine.
        type: path
        default: /var/run/docker.sock
attributes:
  check_mode:
    description: Says what would change and touches nothing.
    support: full
  diff_mode:
    description: Shows files line by line.
    support: full
author: The kafka-metal authors
"""

EXAMPLES = r"""
- name: Configuration of a broker is written
  metal.kafka.service_files:
    dest: /etc/kafka-metal/local-kafka1
    directories: [/etc/kafka-metal/local-kafka1, /data/disk1/kafka]
    files:
      - {name: server.properties, content: "broker.id=1\n"}
    owner: 10001
    group: 10001
"""

RETURN = r"""
differs:
  description: Paths that differ from the declaration, or did before they were written.
  type: list
  elements: str
  returned: always
unavailable:
  description: Directories on disks that are not there or broken, each with the reason.
  type: list
  elements: str
  returned: always
steps:
  description: >-
    What was done, or in check mode would be, one sentence for each directory, file, and key of a
    properties file; values of keys that look like a secret's are hidden.
  type: list
  elements: str
  returned: always
  sample: ["local-kafka1/server.properties: num.io.threads 8 -> 16"]
container:
  description: >-
    C(as_left), whether O(container) runs as a run before has left it, with the same declaration;
    C(altered), limits that somebody has set by hand and that we never set; and C(State) with
    C(Running), where there is one.
  type: dict
  returned: with O(container)
"""

import errno
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._common.diff import file_steps
from ..module_utils._containers import container_baseline
from ..module_utils._host import data_ownership


def owned(path: str, owner: int, group: int) -> bool:
    """Whether ``path`` belongs to the ids given."""
    status = os.stat(path)
    return (status.st_uid, status.st_gid) == (owner, group)


def unavailable(path: str, mounts: Sequence[str]) -> str | None:
    """Why a directory cannot be on the disk it belongs on; None where it can."""
    mount = next((each for each in mounts if path == each or path.startswith(f"{each}/")), None)
    if mount is None:
        return None
    try:
        # A disk with errors is no mount point to os.path.ismount().
        os.lstat(mount)
        if not os.path.ismount(mount):
            return f"no disk is mounted at {mount}"
        os.stat(path)
    except FileNotFoundError:
        if not os.path.exists(mount):
            return f"no disk is mounted at {mount}"
        return "the disk is read-only" if os.statvfs(mount).f_flag & os.ST_RDONLY else None
    except OSError as error:
        return error.strerror
    return None


def directory_differs(path: str, owner: int, group: int) -> bool:
    """Whether ``path`` is missing, is no directory or belongs to somebody else."""
    return not os.path.isdir(path) or not owned(path, owner, group)


def read(path: str) -> str | None:
    """The text of ``path``, or None when there is no such file."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def mode_of(path: str) -> int:
    """Permission bits of ``path``."""
    return os.stat(path).st_mode & 0o7777


def write(path: str, content: str, mode: int, owner: int, group: int) -> None:
    """Replace ``path`` in one step, so that a reader sees the old file or the new one."""
    temporary = f"{path}.new"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as stream:
        stream.write(content)
    os.chmod(temporary, mode)
    os.chown(temporary, owner, group)
    os.replace(temporary, path)


def unmarked(path: str, cluster: str, service: str) -> str:
    """Mark a directory; why that has to wait, where its disk is full, read-only or broken."""
    try:
        data_ownership.mark(path, cluster, service)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO):
            raise
        return f"its owner cannot be written there: {error.strerror}"
    return ""


def foreign(directories: Sequence[str], owner: Mapping[str, Any]) -> list[str]:
    """A sentence for each directory that the marker of another cluster is in."""
    found = {path: data_ownership.owners(path).keys() - {owner["cluster"]} for path in directories}
    return [
        f"{path}: found the marker ({data_ownership.MARKER}) of {', '.join(sorted(found[path]))}; "
        f"wanted: a directory of cluster {owner['cluster']}. Declare another one; after the "
        "cluster was given another name, remove the marker"
        for path in found
        if found[path] and path not in owner["shared"]
    ]


def main() -> None:
    """Compare, then write what differs."""
    module = AnsibleModule(
        argument_spec={
            "directories": {"type": "list", "elements": "path", "default": []},
            "disk_mounts": {"type": "list", "elements": "path", "default": []},
            "directory_mode": {"type": "str", "default": "0750"},
            "dest": {"type": "path", "required": True},
            "files": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {
                    "name": {"type": "str", "required": True},
                    "content": {"type": "str", "required": True},
                    "mode": {"type": "str", "default": "0440"},
                    "static": {"type": "str"},
                },
            },
            "secret_files": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {
                    "name": {"type": "str", "required": True},
                    "content": {"type": "str", "required": True, "no_log": True},
                    "mode": {"type": "str", "default": "0400"},
                },
            },
            "owner_of": {
                "type": "dict",
                "options": {
                    "cluster": {"type": "str", "required": True},
                    "service": {"type": "str", "required": True},
                    "shared": {"type": "list", "elements": "path", "default": []},
                },
            },
            "container": {
                "type": "dict",
                "options": {
                    "name": {"type": "str", "required": True},
                    "declared": {"type": "str", "required": True},
                    "kept": {"type": "path", "required": True},
                    "socket": {"type": "path", "default": "/var/run/docker.sock"},
                },
            },
            "keep": {"type": "list", "elements": "str", "default": []},
            "owner": {"type": "int"},
            "group": {"type": "int"},
        },
        supports_check_mode=True,
    )
    wish = module.params
    ids = (
        os.getuid() if wish["owner"] is None else wish["owner"],
        os.getgid() if wish["group"] is None else wish["group"],
    )
    differs, diffs, gone, steps = [], [], [], []
    folder = os.path.basename(wish["dest"])
    owner = wish["owner_of"]
    if owner and (refused := foreign(wish["directories"], owner)):
        module.fail_json(msg="\n".join(refused))

    for path in wish["directories"]:
        reason = unavailable(path, wish["disk_mounts"])
        if reason is not None:
            gone.append(f"{path}: {reason}")
            continue
        made = not os.path.isdir(path)
        if directory_differs(path, *ids):
            differs.append(path)
            steps.append(
                f"directory {path} gets its owner"
                if os.path.isdir(path)
                else f"directory {path} is made"
            )
            if not module.check_mode:
                os.makedirs(path, mode=int(wish["directory_mode"], 8), exist_ok=True)
                os.chown(path, *ids)
        if not owner:
            continue
        service = "" if path in owner["shared"] else owner["service"]
        if data_ownership.is_marked(path, owner["cluster"], service):
            continue
        if not module.check_mode and (reason := unmarked(path, owner["cluster"], service)):
            gone.append(f"{path}: {reason}")
            continue
        if not made:
            differs.append(os.path.join(path, data_ownership.MARKER))
            steps.append(f"directory {path} is marked as cluster {owner['cluster']}'s")

    secrets = {entry["name"] for entry in wish["secret_files"]}
    for entry in wish["files"] + wish["secret_files"]:
        path, mode = os.path.join(wish["dest"], entry["name"]), int(entry["mode"], 8)
        before = read(path)
        if before == entry["content"] and mode_of(path) == mode and owned(path, *ids):
            continue
        differs.append(path)
        name = os.path.join(folder, entry["name"])
        if before == entry["content"]:
            steps.append(f"{name} gets its owner and mode")
        elif entry["name"] in secrets:
            steps.append(f"{name} is written")
        else:
            steps += file_steps(name, before, entry["content"])
            diffs.append(
                {
                    "before": before or "",
                    "after": entry["content"],
                    "before_header": path,
                    "after_header": path,
                }
            )
        if not module.check_mode:
            write(path, entry["content"], mode, *ids)

    named = (
        {entry["name"] for entry in wish["files"]}
        | secrets
        | {*wish["keep"], data_ownership.MARKER}
    )
    present = os.listdir(wish["dest"]) if os.path.isdir(wish["dest"]) else []
    for name in sorted(set(present) - named):
        path = os.path.join(wish["dest"], name)
        differs.append(path)
        steps.append(f"{os.path.join(folder, name)} is removed")
        if not module.check_mode:
            os.unlink(path)

    seen = {"container": container_baseline.look(**wish["container"])} if wish["container"] else {}
    module.exit_json(
        changed=bool(differs), differs=differs, steps=steps, diff=diffs, unavailable=gone, **seen
    )


if __name__ == "__main__":
    main()
