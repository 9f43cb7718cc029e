# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the modules for one kind of content, and of the module for all of them."""

from __future__ import annotations


class ModuleDocFragment:
    """How long a change may take; where passwords are tried; what becomes of replicas elsewhere."""

    DOCUMENTATION = r"""
options:
  timeout:
    description: Seconds that one request may take until what it changed is in force.
    type: float
    default: 60
"""

    LOGIN = r"""
options:
  verify_bootstrap:
    description: >-
      Addresses of SASL listeners of brokers, each as C(host:port), at which passwords are tried,
      in this order until one answers. A refused attempt costs the broker a line in its log.
    type: list
    elements: str
    default: []
  verify_protocol:
    description: Protocol of these listeners; certificates are those of O(ca_file).
    type: str
    choices: [SASL_SSL, SASL_PLAINTEXT]
    default: SASL_SSL
"""

    MOVES = r"""
options:
  moves:
    description: >-
      What becomes of a topic that is there with another replication factor or on other brokers
      than declared. It is refused, or told in the result for M(metal.kafka.reassign).
    type: str
    choices: [refuse, report]
    default: refuse
"""
