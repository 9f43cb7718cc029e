# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options of every module that speaks to Kafka."""

from __future__ import annotations


class ModuleDocFragment:
    """Where the cluster is and how a client gets in."""

    DOCUMENTATION = r"""
options:
  bootstrap_servers:
    description: >-
      Addresses of brokers, each as C(host:port). One that answers is enough; each is tried.
    type: list
    elements: str
    required: true
  security_protocol:
    description: >-
      Protocol of the listener. Without it, and without one in O(client_config), the options stand
      in the JSON file that the environment variable E(KAFKA_METAL_CLIENT) names, and without that
      the protocol is PLAINTEXT. The file has the keys C(security_protocol), C(ca_file),
      C(cert_file), C(key_file), C(username), C(password), C(mechanism) and C(client_config); one
      with a password is refused when others than its owner may read it.
    type: str
    choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
  ca_file:
    description: PEM file on the host with the certificates that sign those of brokers.
    type: path
  cert_file:
    description: >-
      PEM file on the host with the client's certificate and its chain; its key may stand in the
      same file.
    type: path
  key_file:
    description: PEM file on the host with the client's key, when it is not in O(cert_file).
    type: path
  username:
    description: Name that the client logs in with.
    type: str
  password:
    description: Password that the client logs in with.
    type: str
  mechanism:
    description: How it logs in, SCRAM-SHA-512 when nothing is said.
    type: str
    choices: [SCRAM-SHA-512, SCRAM-SHA-256, PLAIN]
  client_config:
    description: >-
      Further settings of the client as kafka-python's KafkaAdminClient knows them, for example
      C(ssl_check_hostname). They win over the options. All values are taken for secrets, so they
      are hidden wherever they appear in the output of the module.
    type: dict
    default: {}
requirements:
  - kafka-python >= 3.0 where the module runs
"""
