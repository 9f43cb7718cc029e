#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: data_disk_release
short_description: Unmount a data disk, and remove it from the host
description:
  - Unmounts the file system at a mount point; lazily if it hangs.
  - Fails without changes if a process with its own mount namespace, such as a container, uses the
    disk. Stop it first.
  - With O(forget), also removes its line from fstab and the empty mount point. The data on the disk
    is never changed.
options:
  mount:
    description: The mount point.
    type: path
    required: true
  forget:
    description: Whether to remove the disk's line in fstab and its mount point.
    type: bool
    default: false
attributes:
  check_mode:
    description: Reports the steps and changes nothing.
    support: full
  diff_mode:
    description: See RV(steps).
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Unmount the failed disk
  metal.kafka.data_disk_release:
    mount: /data/disk2

- name: Remove the disk from this host
  metal.kafka.data_disk_release:
    mount: /data/disk3
    forget: true
"""

RETURN = r"""
steps:
  description: Changes, or those planned in check mode, one message each, in order.
  type: list
  elements: str
  returned: always
  sample: ["/data/disk2 is unmounted"]
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.disks import disk_changes, disk_release


def main() -> None:
    """Check the disk's users, unmount it, remove its line and mount point."""
    module = AnsibleModule(
        argument_spec={
            "mount": {"type": "path", "required": True},
            "forget": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    point, forget = module.params["mount"], module.params["forget"]
    mounted = disk_release.find_mount(disk_release.read(), point)
    before = disk_changes.read_fstab()
    after = disk_release.remove_mount_lines(before, point) if forget else before
    steps = []
    if mounted:
        steps.append(f"{point} ({mounted.source}) is unmounted")
    if after != before:
        steps.append(f"the line of {point} is removed from /etc/fstab")
    if forget and disk_release.mount_point_exists(point):
        steps.append(f"the empty mount point {point} is removed")
    if steps and not module.check_mode:
        try:
            held = disk_release.holders(mounted.device) if mounted else []
            if held:
                module.fail_json(
                    msg=f"{point} is in use by {', '.join(held[:5])}: stop every container that "
                    "binds it, then run this again",
                    steps=steps,
                )
            if mounted and disk_release.unmount(point):
                module.warn(f"{point} was busy or hung: it is unmounted lazily")
            if after != before:
                disk_release.write_fstab(after)
            if forget:
                disk_release.remove(point)
        except (disk_changes.DiskError, OSError) as error:
            module.fail_json(msg=f"{point}: {error}", steps=steps)
    module.exit_json(changed=bool(steps), steps=steps)


if __name__ == "__main__":
    main()
