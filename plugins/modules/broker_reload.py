#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_reload
short_description: Running brokers reload certificates and trusted CAs
description:
  - Brokers reload keystore and truststore files of every listener, without a restart and without
    closing connections. New connections use the new certificate.
  - Kafka reloads them after any dynamic change of a broker's settings. The module deletes a
    dynamic value that does not exist, so the settings do not change.
extends_documentation_fragment: [metal.kafka.client]
options:
  brokers:
    description: Ids of the brokers.
    type: list
    elements: int
    required: true
  endpoints:
    description: Listeners whose certificates are read before and after.
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
    description: Time limit for one broker in seconds.
    type: float
    default: 20
attributes:
  check_mode:
    description: Reads the certificates and reloads nothing.
    support: full
  diff_mode:
    description: See RV(before) and RV(after).
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Reload the certificates of all brokers
  metal.kafka.broker_reload:
    bootstrap_servers: [kafka1:9192]
    brokers: [1, 2, 3]
    endpoints:
      - {host: kafka1, port: 9092}
"""

RETURN = r"""
before:
  description: Fingerprints (SHA-256) of certificates by host:port, before the reload.
  type: dict
  returned: always
after:
  description: Fingerprints (SHA-256) of certificates by host:port, after the reload.
  type: dict
  returned: always
without_certificate:
  description: Messages on endpoints that present no certificate.
  type: list
  elements: str
  returned: always
"""

from contextlib import suppress

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import client, client_options, cluster, endpoints
from ..module_utils._kafka.tls_probe import fingerprints

with suppress(ImportError):
    from kafka.admin import ConfigResource

# A key of server.properties that never has a dynamic value.
NEVER_SET = "listener.name.internal.ssl.keystore.location"


def reload(connection: cluster.ClusterConnection, broker: int) -> None:
    """Let one broker reload its files; raises ClusterError with its error."""
    name = str(broker)
    answer = connection.call(
        f"reload of broker {name}",
        connection.admin.alter_configs,
        [ConfigResource("broker", name, {NEVER_SET: ("DELETE", None)})],
        raise_on_unknown=False,
        incremental=True,
    )
    if (result := answer["broker"][name]) != "OK":
        raise endpoints.ClusterError(f"broker {name} did not reload its files: {result}")


def main() -> None:
    """Read certificates, reload each broker, read them again."""
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
    spec = client_options.full_argument_spec(module)
    before, failed = fingerprints(spec["endpoints"], spec["timeout"])
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
        after, failed = fingerprints(spec["endpoints"], spec["timeout"])
    module.exit_json(
        changed=after != before, before=before, after=after, without_certificate=failed
    )


if __name__ == "__main__":
    main()
