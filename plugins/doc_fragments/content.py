# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the modules for content: topics, users, ACLs and quotas."""

from __future__ import annotations


class ModuleDocFragment:
    """Timeouts, password checks, replica moves, and removal of undeclared content."""

    DOCUMENTATION = r"""
options:
  timeout:
    description: Time limit in seconds of one request, until its change is effective.
    type: float
    default: 60
"""

    LOGIN = r"""
options:
  verify_bootstrap:
    description: >-
      Addresses of SASL listeners of brokers, each as C(host:port), at which passwords are checked,
      in this order until one responds. A rejected login writes one line to the broker's log.
    type: list
    elements: str
    default: []
  verify_protocol:
    description: Protocol of these listeners; for SASL_SSL the CA certificates are in O(ca_file).
    type: str
    choices: [SASL_SSL, SASL_PLAINTEXT]
    default: SASL_SSL
"""

    MOVES = r"""
options:
  moves:
    description: >-
      Handling of an existing topic with another replication factor or other brokers than
      declared. C(refuse) fails; C(report) returns its name for M(metal.kafka.reassign).
    type: str
    choices: [refuse, report]
    default: refuse
"""

    REFUSED_STEPS = r"""
options:
  refused_steps:
    description: >-
      Handling, in check mode, of steps that the cluster refuses when it validates them. C(fail)
      fails. C(report) returns them as RV(refused), for a run that changes brokers before it
      applies the steps: the cluster may then accept them.
    type: str
    choices: [fail, report]
    default: fail
"""

    UNMANAGED = r"""
options:
  unmanaged:
    description: >-
      Whether to report undeclared keys that are set on declared topics. This reads all keys of
      these topics, about 34 each.
    type: bool
    default: true
"""

    APPLIED = r"""
options:
  applied:
    description: >-
      Content of this kind that earlier runs applied, as result C(applied) of the last run. Content
      in it that is no longer declared is removed. Topics are kept; their keys return to the
      default.
    type: raw
"""

    REMOVAL = r"""
options:
  removal:
    description: Whether applied content that is no longer declared may be removed.
    type: dict
    default: {}
    suboptions:
      limited:
        description: The run covers only a part of the site; nothing is removed, only reported.
        type: bool
        default: false
      missing:
        description: >-
          Inventory variables that were defined when the applied state was stored, and are now
          undefined. Removals of the kinds that they declare are rejected.
        type: list
        elements: str
        default: []
      confirmed:
        description: Kinds of which more than half of the applied content may be removed.
        type: list
        elements: str
        default: []
"""
