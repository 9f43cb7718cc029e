# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics, users, ACLs, quotas and groups of a cluster: current, desired, the steps between.

Only the files named after clients send requests.
"""
