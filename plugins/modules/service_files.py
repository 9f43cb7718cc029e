#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: service_files
short_description: Write all files of one container, and delete other files in their directory
description:
  - Creates directories and writes small files with the declared owner. Files that are no longer
    declared are removed from O(dest), so that a container never reads outdated files.
options:
  directories:
    description: >-
      Directories to create for the owner. A link instead of a directory is refused unless it
      belongs to root.
    type: list
    elements: path
    default: []
  disk_mounts:
    description:
      - Mount points of data disks. A directory below one of them is created only on its disk; while
        the disk is not mounted, or cannot be read or written, the directory is in RV(unavailable)
        and nothing is created instead.
    type: list
    elements: path
    default: []
  directory_mode:
    description: Mode of new directories, octal.
    type: str
    default: '0750'
  dest:
    description: Directory of the files. All other files in it except O(keep) are removed.
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
        description: Content of the file.
        type: str
        required: true
      mode:
        description: Mode, octal.
        type: str
        default: '0440'
      static:
        description: The part of the content whose change requires a restart; not used here.
        type: str
  secret_files:
    description:
      - Files with secret content, each with C(name), C(content) and optionally C(mode), an octal
        string. Their content is never in the output, not even as a difference.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the file inside O(dest).
        type: str
        required: true
      content:
        description: Content of the file.
        type: str
        required: true
      mode:
        description: Mode, octal.
        type: str
        default: '0400'
  keep:
    description: Names of files in O(dest) that are written by other means; they are not changed.
    type: list
    elements: str
    default: []
  content:
    description:
      - Action for the content of O(directories) that belong to another user. V(keep) leaves it
        unchanged. V(report) writes nothing at all and lists them in RV(foreign), unless
        O(container) runs unchanged; the container has to be stopped first. V(change) changes the
        owner of all content that is not root's, and checks directories of O(shared_group) again.
    type: str
    default: keep
    choices: [keep, report, change]
  shared_group:
    description:
      - Group id of the directories in O(owner_of.shared). They belong to root, and the group may
        write to them and to all directories in them. Files in them keep owner and group.
    type: int
  owner:
    description: User id of directories and files; by default that of the module's process.
    type: int
  group:
    description: Group id of directories and files; by default that of the module's process.
    type: int
  owner_of:
    description:
      - Content of the ownership marker that is written into each of O(directories), so that no
        other cluster uses or deletes them. A directory with the marker of another cluster is
        refused before anything is written.
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
        description: Paths in O(directories) that other clusters may use as well.
        type: list
        elements: path
        default: []
  container:
    description: The container that reads the files, to be inspected in the same execution.
    type: dict
    suboptions:
      name:
        description: Name of the container.
        type: str
        required: true
      declared:
        description: Fingerprint of the container's declaration, not the declaration itself.
        type: str
        required: true
      baseline_file:
        description: File with the container's baseline, see M(metal.kafka.container_baseline).
        type: path
        required: true
      socket:
        description: Socket of the engine.
        type: path
        default: /var/run/docker.sock
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
  diff_mode:
    description: Shows files line by line.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Write the configuration of a broker
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
  description: List of paths that differ from the declaration, or did before they were written.
  type: list
  elements: str
  returned: always
foreign:
  description: Directories that belonged to another user before.
  type: list
  elements: str
  returned: always
unavailable:
  description: Directories on missing or failed disks, each with the reason.
  type: list
  elements: str
  returned: always
steps:
  description: >-
    Changes, or those planned in check mode, one message for each directory, file, and key of a
    properties file; values of keys that look like secrets are hidden.
  type: list
  elements: str
  returned: always
  sample: ["local-kafka1/server.properties: num.io.threads 8 -> 16"]
container:
  description: >-
    C(unchanged), whether O(container) runs unchanged since its baseline; C(altered), limits that
    were set by hand and that no declaration sets; and C(State) with C(Running), if it exists.
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
    refused = refused or owned_directories.foreign_markers(spec["directories"], spec["owner_of"])
    if refused:
        module.fail_json(msg="\n".join(refused))
    ids = owned_directories.resolve_ids(spec["owner"], spec["group"])
    result = (
        {"container": container_baseline.compare(**spec["container"])} if spec["container"] else {}
    )
    foreign = _foreign(spec, ids[0])
    found = owned_directories.Outcome()
    unchanged = result and result["container"]["unchanged"]
    must_stop = foreign and spec["content"] == owned_directories.REPORT and not unchanged
    if must_stop and not module.check_mode:
        module.exit_json(**found.result(), foreign=foreign, **result)
    owned_directories.converge(spec, ids, module.check_mode, found)
    config_files.converge(spec, ids, module.check_mode, found)
    module.exit_json(**found.result(), foreign=foreign, **result)


def _foreign(spec: dict[str, Any], uid: int) -> list[str]:
    """Return directories that belong to another user and whose content would change its owner."""
    if spec["content"] == owned_directories.KEEP:
        return []
    shared = spec["owner_of"]["shared"] if spec["owner_of"] else ()
    own = [path for path in spec["directories"] if path not in shared]
    return owner_change.owned_by_others(own, uid)


if __name__ == "__main__":
    main()
