# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options of every module that connects to Kafka."""

from __future__ import annotations


class ModuleDocFragment:
    """Addresses of the cluster, and the client's security settings."""

    DOCUMENTATION = r"""
options:
  bootstrap_servers:
    description: >-
      Addresses of brokers, each as C(host:port). They are tried in order; one that responds is
      enough.
    type: list
    elements: str
    required: true
  security_protocol:
    description: >-
      Protocol of the listener. Without it here or in O(client_config), the options are read from
      the JSON file in the environment variable E(KAFKA_METAL_CLIENT). Without that file the
      protocol is PLAINTEXT. The file has the keys C(security_protocol), C(ca_file),
      C(cert_file), C(key_file), C(username), C(password), C(mechanism) and C(client_config). A
      file with a password is rejected if other users than its owner may read it.
    type: str
    choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
  ca_file:
    description: PEM file on the host with the CA certificates of brokers.
    type: path
  cert_file:
    description: >-
      PEM file on the host with the client's certificate and its chain. The file may also contain
      the key.
    type: path
  key_file:
    description: PEM file on the host with the client's key, if it is not in O(cert_file).
    type: path
  username:
    description: User name of the client.
    type: str
  password:
    description: Password of the client.
    type: str
  mechanism:
    description: SASL mechanism; SCRAM-SHA-512 if not set.
    type: str
    choices: [SCRAM-SHA-512, SCRAM-SHA-256, PLAIN]
  client_config:
    description: >-
      Further settings of kafka-python's KafkaAdminClient, for example C(ssl_check_hostname). They
      override the other options. All values are treated as secrets and hidden in the output.
    type: dict
    default: {}
requirements:
  - kafka-python >= 3.0 where the module runs
"""
