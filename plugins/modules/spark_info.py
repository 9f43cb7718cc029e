#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: spark_info
short_description: State of a standalone Spark cluster
description:
  - Reads the web pages of all masters in parallel - leader, standbys and registered workers.
  - Does not fail if a master does not respond; its C(error) has the reason.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  masters:
    description: The masters of the cluster.
    type: list
    elements: dict
    required: true
    suboptions:
      port:
        description: Port of the master for workers and applications; not used here.
        type: int
      name:
        description: Name of the master in messages.
        type: str
        required: true
      host:
        description: Host of the master's web page.
        type: str
        required: true
      ui_port:
        description: Port of the master's web page.
        type: int
        required: true
  workers:
    description: Workers that must be registered.
    type: list
    elements: dict
    default: []
    suboptions: &place
      name:
        description: Name of the service in messages.
        type: str
        required: true
      host:
        description: Host of its web page.
        type: str
        required: true
      ui_port:
        description: Port of its web page.
        type: int
        required: true
  histories:
    description: Spark history servers.
    type: list
    elements: dict
    default: []
    suboptions: *place
  page_login:
    description: >-
      Login for pages with authentication, user and password in base64 as defined by RFC 7617; empty
      without authentication.
    type: str
    default: ''
  timeout:
    description: Seconds to wait for one response.
    type: float
    default: 5
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until one master leads and its workers are registered
  metal.kafka.spark_info:
    masters:
      - {name: spark-master1, host: m1, ui_port: 8080}
      - {name: spark-master2, host: m2, ui_port: 8080}
    workers:
      - {name: spark-worker1, host: m1, ui_port: 8081}
  register: spark
  until: spark.problems | length == 0
  retries: 30
  delay: 2
"""

RETURN = r"""
masters:
  description: >-
    Masters in the order of O(masters), with C(name), C(page), C(status) (ALIVE for the leader,
    STANDBY, RECOVERING), C(workers) (pages of those it counts as alive) and C(error).
  type: list
  elements: dict
  returned: always
histories:
  description: History servers in the order of O(histories), with C(name), C(page) and C(error).
  type: list
  elements: dict
  returned: always
leader:
  description: Name of the leading master; empty unless there is exactly one.
  type: str
  returned: always
problems:
  description: Problems, one message each.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._services import spark_masters


def main() -> None:
    """Read the states of all servers and return them with their problems."""
    place = {
        "name": {"type": "str", "required": True},
        "host": {"type": "str", "required": True},
        "ui_port": {"type": "int", "required": True},
    }
    module = AnsibleModule(
        argument_spec={
            "masters": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {**place, "port": {"type": "int"}},
            },
            "workers": {"type": "list", "elements": "dict", "default": [], "options": place},
            "histories": {"type": "list", "elements": "dict", "default": [], "options": place},
            "page_login": {"type": "str", "default": "", "no_log": True},
            "timeout": {"type": "float", "default": 5},
        },
        supports_check_mode=True,
    )
    access = module.params["timeout"], module.params["page_login"]
    masters = spark_masters.query_masters(module.params["masters"], *access)
    histories = spark_masters.query_histories(module.params["histories"], *access)
    leading = spark_masters.find_leader(masters)
    module.exit_json(
        changed=False,
        masters=masters,
        histories=histories,
        leader=leading["name"] if leading else "",
        problems=[
            each.text
            for each in spark_masters.problems(masters, module.params["workers"], histories)
        ],
    )


if __name__ == "__main__":
    main()
