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

    UNMANAGED = r"""
options:
  unmanaged:
    description: >-
      Whether keys are looked for that are set on declared topics and declared nowhere. It reads
      every key of these topics, some 34 of each.
    type: bool
    default: true
"""

    APPLIED = r"""
options:
  applied:
    description: >-
      What earlier runs applied of this kind, as the result C(applied) of the last one. What of it
      is no longer declared is removed, topics excepted, of which keys return to the default.
    type: raw
"""

    REMOVAL = r"""
options:
  removal:
    description: Whether what was applied and is no longer declared is removed.
    type: dict
    default: {}
    suboptions:
      limited:
        description: The run sees a part of the site only; everything is kept and reported.
        type: bool
        default: false
      missing:
        description: >-
          Variables of the inventory that were defined when the record was written and are not any
          more. A removal of the kinds that they declare is refused.
        type: list
        elements: str
        default: []
      confirmed:
        description: Kinds of which more than half of what was applied may be removed.
        type: list
        elements: str
        default: []
"""
