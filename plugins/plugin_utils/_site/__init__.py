# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A site: facts that services need of each other, from the inventory, and the state directory."""
