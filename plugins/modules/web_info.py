#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: web_info
author: The kafka-metal authors (!UNKNOWN)
short_description: Read pages of several services at the same time
extends_documentation_fragment: [metal.kafka.only_reads]
description:
  - Does not fail for a service that does not respond, but returns the reason.
  - Never uses a proxy of the machine.
options:
  urls:
    description: URL of each page, by any name.
    type: dict
    required: true
  login:
    description: C(name:password) in base64 (RFC 7617); empty for pages without a password.
    type: str
    default: ''
  timeout:
    description: Time limit in seconds.
    type: float
    default: 5
"""

EXAMPLES = r"""
- name: Read the state of two drivers
  metal.kafka.web_info:
    urls:
      orders: "http://{{ address }}:4050/status"
      payments: "http://{{ address }}:4051/status"
  register: drivers
"""

RETURN = r"""
responses:
  description: >-
    The response of each page by its name: C(error), empty for a good response, C(text), and
    C(json), null if the response is no JSON.
  type: dict
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._services import web_pages


def main() -> None:
    """Read all pages."""
    module = AnsibleModule(
        argument_spec={
            "urls": {"type": "dict", "required": True},
            "login": {"type": "str", "default": "", "no_log": True},
            "timeout": {"type": "float", "default": 5},
        },
        supports_check_mode=True,
    )
    spec = module.params
    module.exit_json(
        changed=False, responses=web_pages.get_all(spec["urls"], spec["timeout"], spec["login"])
    )


if __name__ == "__main__":
    main()
