#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: spark_info
short_description: State of a standalone Spark cluster
description:
  - Asks the page of every master at the same time who leads, who stands by, and which workers are
    registered.
  - Never fails because a master does not answer; that is a result.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  masters:
    description: The masters of the cluster.
    type: list
    elements: dict
    required: true
    suboptions:
      port:
        description: Where workers and applications meet it; nobody is asked there.
        type: int
      name:
        description: What it is called in messages.
        type: str
        required: true
      host:
        description: Where its page is.
        type: str
        required: true
      ui_port:
        description: Port of its page.
        type: int
        required: true
  workers:
    description: Workers that a healthy cluster has.
    type: list
    elements: dict
    default: []
    suboptions: &place
      name:
        description: What it is called in messages.
        type: str
        required: true
      host:
        description: Where its page is.
        type: str
        required: true
      ui_port:
        description: Port of its page.
        type: int
        required: true
  histories:
    description: Servers that show the history of applications.
    type: list
    elements: dict
    default: []
    suboptions: *place
  page_login:
    description: >-
      What pages that ask who comes are shown, name and password as RFC 7617 has them in base64;
      empty where they ask nobody.
    type: str
    default: ''
  timeout:
    description: Seconds to wait for one answer.
    type: float
    default: 5
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: One master leads, and its workers are alive
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
    Masters in the order given, with C(name), C(page), C(status) (ALIVE for the one that leads,
    STANDBY, RECOVERING), C(workers) (pages of those it counts as alive) and C(error).
  type: list
  elements: dict
  returned: always
histories:
  description: Servers of the history in the order given, with C(name), C(page) and C(error).
  type: list
  elements: dict
  returned: always
leader:
  description: Name of the master that leads, empty unless there is exactly one.
  type: str
  returned: always
problems:
  description: Messages on what is wrong.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._services import spark_masters


def main() -> None:
    """Ask all masters, judge, answer."""
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
    how = module.params["timeout"], module.params["page_login"]
    told = spark_masters.query_masters(module.params["masters"], *how)
    histories = spark_masters.query_histories(module.params["histories"], *how)
    leading = spark_masters.leader(told)
    module.exit_json(
        changed=False,
        masters=told,
        histories=histories,
        leader=leading["name"] if leading else "",
        problems=spark_masters.problems(told, module.params["workers"], histories),
    )


if __name__ == "__main__":
    main()
