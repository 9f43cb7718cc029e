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
  client_config:
    description: >-
      Settings of the client as kafka-python's KafkaAdminClient knows them, for example
      C(security_protocol), C(ssl_cafile), C(sasl_mechanism).
    type: dict
    default: {}
requirements:
  - kafka-python >= 3.0 where the module runs
"""
