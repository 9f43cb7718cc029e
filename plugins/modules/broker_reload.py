#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_reload
short_description: Running brokers take over new certificates and trusted CAs
description:
  - Brokers read the files of their keystore and truststore anew, for every listener, without a
    restart and without closing a connection. New connections meet the new certificate.
  - Kafka does so when a setting of a broker is changed; here one is taken back that was never made,
    so nothing but the files counts afterwards.
extends_documentation_fragment: [metal.kafka.client]
options:
  brokers:
    description: Numbers of the brokers.
    type: list
    elements: int
    required: true
  endpoints:
    description: Where their listeners show certificates.
    type: list
    elements: dict
    default: []
    suboptions:
      host:
        description: Name or address.
        type: str
        required: true
      port:
        description: Port of the listener.
        type: int
        required: true
  timeout:
    description: Seconds to wait for one broker.
    type: float
    default: 20
attributes:
  check_mode:
    description: Reads what is shown and reloads nothing.
    support: full
  diff_mode:
    description: What is shown before and after stands in the result.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: New connections meet the new certificates
  metal.kafka.broker_reload:
    bootstrap_servers: [kafka1:9192]
    brokers: [1, 2, 3]
    endpoints:
      - {host: kafka1, port: 9092}
"""

RETURN = r"""
before:
  description: Fingerprints (SHA-256) by host:port before brokers read their files anew.
  type: dict
  returned: always
after:
  description: The same afterwards.
  type: dict
  returned: always
silent:
  description: Messages on endpoints that show no certificate.
  type: list
  elements: str
  returned: always
"""

from contextlib import suppress

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import client, client_options, cluster, endpoints
from ..module_utils._kafka.tls_probe import shown_by_all

with suppress(ImportError):
    from kafka.admin import ConfigResource

# Any listener's would do: it is in the file of a broker and never set while it runs.
NEVER_SET = "listener.name.internal.ssl.keystore.location"


def reload(connection: cluster.ClusterConnection, broker: int) -> None:
    """Have one broker read its files anew; raises ClusterError with its refusal."""
    name = str(broker)
    answer = connection.ask(
        f"reload of broker {name}",
        connection.admin.alter_configs,
        [ConfigResource("broker", name, {NEVER_SET: ("DELETE", None)})],
        raise_on_unknown=False,
        incremental=True,
    )
    if (said := answer["broker"][name]) != "OK":
        raise endpoints.ClusterError(f"broker {name} keeps the files it has: {said}")


def main() -> None:
    """Look, reload each broker, look again."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "brokers": {"type": "list", "elements": "int", "required": True},
            "endpoints": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {
                    "host": {"type": "str", "required": True},
                    "port": {"type": "int", "required": True},
                },
            },
            "timeout": {"type": "float", "default": 20},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.spec_of(module)
    before, silent = shown_by_all(spec["endpoints"], spec["timeout"])
    after = before
    if not module.check_mode:
        try:
            with cluster.ClusterConnection(
                spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
            ) as connection:
                for broker in spec["brokers"]:
                    reload(connection, broker)
        except endpoints.ClusterError as error:
            module.fail_json(msg=f"broker_reload: {error}")
        after, silent = shown_by_all(spec["endpoints"], spec["timeout"])
    module.exit_json(changed=after != before, before=before, after=after, silent=silent)


if __name__ == "__main__":
    main()
