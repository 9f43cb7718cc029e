#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: host_tuning
author: The kafka-metal authors (!UNKNOWN)
short_description: Apply settings of the kernel and of services, live and at boot
description:
  - Compares the desired settings with those of the next boot (C(/etc/sysctl.d),
    C(/etc/tmpfiles.d), C(/etc/udev/rules.d), drop-ins of systemd, C(/etc/fstab)) and with the live
    ones, all in one round trip. Replaces its own files atomically, applies live values, and reads
    both back.
  - A setting that a container or a virtual machine does not allow is reported with the system's
    error. It is not a failure, and the value is persisted.
  - Another file that overrides its own at boot is reported, not changed.
options:
  settings:
    description: >-
      Desired settings, created by the filter P(metal.kafka.tuning_settings#filter). If empty,
      only O(containers) are inspected.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description:
          - A kernel parameter with dots, or one of C(transparent_hugepage.enabled),
            C(transparent_hugepage.defrag), C(disk.scheduler.rotational), C(disk.scheduler.solid),
            C(disk.read_ahead_kb.rotational), C(disk.read_ahead_kb.solid), C(mount.options),
            C(limits.nofile), C(limits.nproc), C(swap), C(clock.synchronised), C(clock.steps).
        type: str
        required: true
      value:
        description: The value in the kernel's format.
        type: str
        required: true
      rule:
        description: V(at_least) accepts a higher value.
        type: str
        choices: [exactly, at_least]
        default: exactly
      reason:
        description: Reason, written as a comment next to the value.
        type: str
        default: ""
      percent_of_memory:
        description: Upper bound of a value in bytes, in percent of the memory; 0 for no bound.
        type: int
        default: 0
  data_paths:
    description: Directories whose disks get a scheduler and readahead, except the disk of /.
    type: list
    elements: path
    default: []
  containers:
    description: Minimum limits of open files of running containers, by container name.
    type: dict
    default: {}
  socket:
    description: Socket of the container engine, used only for O(containers).
    type: path
    default: /var/run/docker.sock
  report:
    description: Only compare.
    type: bool
    default: false
attributes:
  check_mode:
    description: Reports the planned steps, in the same messages. Errors that occur only when a
      value is written are not predicted.
    support: full
  diff_mode:
    description: Files before and after.
    support: full
"""

EXAMPLES = r"""
- name: Tune the kernel for brokers
  metal.kafka.host_tuning:
    settings:
      - {name: vm.swappiness, value: "1", reason: "The heap stays in memory."}
      - {name: disk.scheduler.solid, value: none}
    data_paths: [/data/disk1/kafka]

- name: Report persisted and live settings
  metal.kafka.host_tuning:
    settings:
      - {name: vm.max_map_count, value: "262144", rule: at_least}
    containers: {prod-kafka1: 100000}
    report: true
  register: tuning
"""

RETURN = r"""
settings:
  description: >-
    One entry per setting (and disk): C(name), C(wanted), C(persisted), C(live), C(state), C(reason)
    and C(detail). C(state) is C(ok), C(changed), C(drift) (not as desired), C(not_allowed) (the
    system rejects the live value) or C(absent) (the machine does not have this setting).
  type: list
  elements: dict
  returned: always
steps:
  description: Changes, or those planned in check mode, one message each.
  type: list
  elements: str
  returned: always
specs:
  description: Desired state, O(settings) and O(data_paths); empty with O(report).
  type: dict
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import container_list, engine_api
from ..module_utils._host.tuning import container_limits, tuner
from ..module_utils._host.tuning.host_access import Host
from ..module_utils._host.tuning.setting import Spec

SETTING = {
    "name": {"type": "str", "required": True},
    "value": {"type": "str", "required": True},
    "rule": {"type": "str", "choices": ["exactly", "at_least"], "default": "exactly"},
    "reason": {"type": "str", "default": ""},
    "percent_of_memory": {"type": "int", "default": 0},
}


def main() -> None:
    """Tune or report, then add the limits of running containers."""
    module = AnsibleModule(
        argument_spec={
            "settings": {"type": "list", "elements": "dict", "default": [], "options": SETTING},
            "data_paths": {"type": "list", "elements": "path", "default": []},
            "containers": {"type": "dict", "default": {}},
            "socket": {"type": "path", "default": engine_api.SOCKET},
            "report": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    given, host = module.params, Host()
    specs = [Spec(**setting) for setting in given["settings"]]
    try:
        if not specs:
            outcome = tuner.Outcome()
        elif given["report"]:
            outcome = tuner.report(host, specs, given["data_paths"])
        else:
            outcome = tuner.tune(host, specs, given["data_paths"], module.check_mode)
    except (OSError, ValueError) as error:
        module.fail_json(msg=f"host tuning: {error}")
    if given["containers"]:
        wanted = {name: int(count) for name, count in given["containers"].items()}
        rows = container_limits.inspect(
            host, wanted, container_list.list_running_containers(given["socket"])
        )
        outcome.settings += [tuner.as_result(row, tuner.state(row)) for row in rows]
    for setting in outcome.settings:
        if setting["state"] == "drift" and not given["report"]:
            module.warn(f"{setting['name']} is not {setting['wanted']}: {setting['detail']}")
    module.exit_json(
        changed=bool(outcome.steps),
        settings=outcome.settings,
        steps=outcome.steps,
        specs={} if given["report"] else {k: given[k] for k in ("settings", "data_paths")},
        diff=outcome.diff,
    )


if __name__ == "__main__":
    main()
