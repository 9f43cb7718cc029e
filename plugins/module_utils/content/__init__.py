# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is in a cluster beside its records: users, ACLs, quotas, groups, and where replicas are.

``declarations``, ``roles`` and ``export`` know the words of an inventory and run on the control
node. ``acls``, ``users``, ``quotas`` and ``groups`` hold what is, what is wished for and the steps
between. Only ``login`` and the files named after connections speak to a cluster.
"""
