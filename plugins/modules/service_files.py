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
    description: >-
      Directories that exist and belong to the owner. A link in place of one is refused, unless it
      belongs to root.
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
  content:
    description:
      - What becomes of the content of O(directories) that belong to another user. V(keep) leaves it
        as it is. V(report) writes nothing at all and lists them in RV(foreign), unless O(container)
        runs as it was left; the container has to be stopped first. V(change) gives what is not
        root's to the owner, and goes over the directories of O(shared_group) once more.
    type: str
    default: keep
    choices: [keep, report, change]
  shared_group:
    description:
      - Group id of the directories in O(owner_of.shared). They belong to root, and this group may
        write to them and to all directories in them. Files in them keep owner and group.
    type: int
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
        description: File in which M(metal.kafka.container_baseline) has written how it was left.
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
author: The kafka-metal authors (!UNKNOWN)
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
foreign:
  description: Directories that belonged to another user before.
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
    What was done, or in check mode would be, one message for each directory, file, and key of a
    properties file; values of keys that look like a secret's are hidden.
  type: list
  elements: str
  returned: always
  sample: ["local-kafka1/server.properties: num.io.threads 8 -> 16"]
container:
  description: >-
    C(unchanged), whether O(container) runs as a run before has left it, with the same declaration;
    C(altered), limits that somebody has set by hand and that we never set; and C(State) with
    C(Running), where there is one.
  type: dict
  returned: with O(container)
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import config_files, container_baseline, service_file_options
from ..module_utils._host import owned_directories, owner_change


def main() -> None:
    module = AnsibleModule(
        argument_spec=service_file_options.OPTIONS,
        supports_check_mode=True,
    )
    spec = module.params
    refused = owner_change.planted_links(spec["directories"])
    refused = refused or owned_directories.foreign(spec["directories"], spec["owner_of"])
    if refused:
        module.fail_json(msg="\n".join(refused))
    ids = owned_directories.ids_of(spec["owner"], spec["group"])
    seen = (
        {"container": container_baseline.compare(**spec["container"])} if spec["container"] else {}
    )
    foreign = _foreign(spec, ids[0])
    found = owned_directories.Outcome()
    unchanged = seen and seen["container"]["unchanged"]
    waits = foreign and spec["content"] == owned_directories.REPORT and not unchanged
    if waits and not module.check_mode:
        module.exit_json(**found.result(), foreign=foreign, **seen)
    owned_directories.converge(spec, ids, module.check_mode, found)
    config_files.converge(spec, ids, module.check_mode, found)
    module.exit_json(**found.result(), foreign=foreign, **seen)


def _foreign(spec: dict[str, Any], uid: int) -> list[str]:
    """Directories of the container that belong to another user, whose content would follow."""
    if spec["content"] == owned_directories.KEEP:
        return []
    shared = spec["owner_of"]["shared"] if spec["owner_of"] else ()
    own = [path for path in spec["directories"] if path not in shared]
    return owner_change.of_another_user(own, uid)


if __name__ == "__main__":
    main()
