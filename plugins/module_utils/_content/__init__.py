# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics, users, ACLs, quotas and consumer groups: current state, desired state and steps.

Only modules named ``*_client`` send requests.
"""
