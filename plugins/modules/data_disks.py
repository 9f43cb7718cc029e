#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: data_disks
author: The kafka-metal authors (!UNKNOWN)
short_description: Prepare and mount data disks of a broker
description:
  - Finds each disk by serial number, WWN or path, formats blank ones with XFS, marks them with
    cluster, host and name, and mounts them by UUID with C(noatime,nodev,nosuid,nofail).
  - Makes the mount point immutable while nothing is mounted on it, so that writes fail while a disk
    is missing, instead of filling the system disk.
  - A disk that is neither blank nor marked for this host is refused unless its name is in
    O(overwrite); then no disk is changed. A disk in use is never formatted.
  - A disk that was ready before (fstab has its mount) and is now missing, read-only or failed is
    reported in RV(problems) and as a warning; it does not block the others. A disk that was never
    ready is an error.
options:
  disks:
    description: The disks of this host, each with exactly one of C(serial), C(wwn) and C(path).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the disk on this host; it is part of the marker.
        type: str
        required: true
      mount:
        description: Mount point. Log dirs are below it.
        type: path
        required: true
      serial:
        description: Serial number as C(lsblk -o NAME,SIZE,SERIAL,WWN) shows it.
        type: str
      wwn:
        description: World wide name, with or without C(0x), C(naa.) or C(eui.).
        type: str
      path:
        description: Device file; only where a device has neither serial number nor WWN.
        type: path
  cluster:
    description: Name of the cluster, for the marker.
    type: str
    required: true
  host:
    description: Name of the host, for the marker.
    type: str
    required: true
  owner:
    description: User and group id of the root directory of new file systems.
    type: int
    default: 0
  reserve:
    description: >-
      Bytes reserved on each disk, to be freed when it is full; at most 2 % of the disk. Created if
      15 % stay free. 0 for none.
    type: int
    default: 0
  overwrite:
    description: Names of disks to format whatever their content is, unless they are in use.
    type: list
    elements: str
    default: []
  adopt:
    description: >-
      Names of disks whose existing XFS is marked for this host and keeps its data, whatever its
      marker is: after a host was renamed, after disks were moved to another host, or for a file
      system that was created by other means.
    type: list
    elements: str
    default: []
  only:
    description: Names of the disks to process; empty for all.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: Reports the steps and changes nothing.
    support: full
  diff_mode:
    description: See RV(steps).
    support: none
"""

EXAMPLES = r"""
- name: Prepare and mount data disks
  metal.kafka.data_disks:
    cluster: prod
    host: node1
    disks:
      - {name: disk1, serial: WD-WX11D1234567, mount: /data/disk1}
      - {name: disk2, wwn: "0x50014ee2b5f1a2c3", mount: /data/disk2}

- name: Replace a failed disk, which was unmounted before
  metal.kafka.data_disks:
    cluster: prod
    host: node1
    disks: "{{ host_disks }}"
    only: [disk2]
    overwrite: [disk2]
"""

RETURN = r"""
disks:
  description: >-
    One mapping for each disk: C(name), C(mount), C(state) (ready, blank, missing, foreign, swapped,
    read_only or failed; after a run the new state), C(found) (description of what was found),
    C(device), C(serial), C(wwn), C(uuid), C(mounted), C(known) (fstab had its mount before),
    C(size) in bytes, C(rotational).
  type: list
  elements: dict
  returned: always
steps:
  description: Changes, or those planned in check mode, one message each, in order.
  type: list
  elements: str
  returned: always
problems:
  description: Problems of disks that were ready before, one message each.
  type: list
  elements: str
  returned: always
refused:
  description: Why no disk was changed, one message for each refused disk.
  type: list
  elements: str
  returned: when the module fails
unused:
  description: Unused blank disks (device, serial, wwn, size).
  type: list
  elements: dict
  returned: when a disk is missing
"""


from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.disks import (
    data_disks,
    disk_changes,
    disk_model,
    disk_plan,
    disk_reserve,
    disk_survey,
)


def selected_specs(module: AnsibleModule) -> list[disk_model.Spec]:
    """Return the specs of the selected disks; fails the module on errors in the declaration."""
    specs = [
        disk_model.Spec(**{key: value or "" for key, value in each.items()})
        for each in module.params["disks"]
    ]
    errors = data_disks.check_specs(specs)
    names = {spec.name for spec in specs}
    for option in ("only", "overwrite", "adopt"):
        errors += [
            f"{option} names {name}, which is none of {', '.join(sorted(names)) or 'no disk'}"
            for name in module.params[option]
            if name not in names
        ]
    both = sorted({*module.params["overwrite"]} & {*module.params["adopt"]})
    errors += [f"{name} is in overwrite and in adopt; allowed: one of them" for name in both]
    if errors:
        module.fail_json(msg="; ".join(errors), refused=errors, disks=[], steps=[], problems=[])
    only = module.params["only"]
    return [spec for spec in specs if not only or spec.name in only]


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "disks": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "name": {"type": "str", "required": True},
                    "mount": {"type": "path", "required": True},
                    "serial": {"type": "str"},
                    "wwn": {"type": "str"},
                    "path": {"type": "path"},
                },
            },
            "cluster": {"type": "str", "required": True},
            "host": {"type": "str", "required": True},
            "owner": {"type": "int", "default": 0},
            "reserve": {"type": "int", "default": 0},
            "overwrite": {"type": "list", "elements": "str", "default": []},
            "adopt": {"type": "list", "elements": "str", "default": []},
            "only": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    specs = selected_specs(module)
    owner = disk_model.Owner(module.params["cluster"], module.params["host"])
    lines = disk_changes.read_fstab()
    guards = {spec.name: disk_changes.read_guard(spec.mount) for spec in specs}
    found, unused = disk_survey.survey(specs, owner, module.params, guards, lines)

    problems = data_disks.problems(found)
    for disk in found:
        problems += disk_plan.hidden_files_messages(disk, guards[disk.spec.name])
    steps = [step for disk in found for step in disk_plan.plan(disk, guards[disk.spec.name], lines)]
    steps += disk_plan.reserves(found, module.params["reserve"], disk_reserve.read)
    result = {
        "disks": [disk_plan.disk_result(disk, done=False) for disk in found],
        "steps": [step.text for step in steps],
        "problems": problems,
    }
    if any(disk.state == data_disks.MISSING for disk in found):
        result["unused"] = [
            {"device": one.node, "serial": one.serial, "wwn": one.wwn, "size": one.size}
            for one in unused
        ]
    for problem in problems:
        module.warn(f"{owner.host}: {problem}")

    refused = data_disks.refusals(found)
    if refused:
        blank = "; ".join(str(device) for device in unused)
        hint = f"; unused blank disks: {blank or 'none'}" if "unused" in result else ""
        result.update(steps=[], refused=refused)
        module.fail_json(msg=f"no disk was changed: {'; '.join(refused)}{hint}", **result)
    if steps and not module.check_mode:
        uuids: dict[str, str] = {}
        try:
            for step in steps:
                disk_changes.apply(step, owner, module.params["owner"], uuids)
        except disk_changes.DiskError as error:
            module.fail_json(msg=str(error), **result)
        result["disks"] = [
            disk_plan.disk_result(disk, done=True, uuid=uuids.get(disk.spec.name, ""))
            for disk in found
        ]
    module.exit_json(changed=bool(steps), **result)


if __name__ == "__main__":
    main()
