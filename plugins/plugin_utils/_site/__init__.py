# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A site: what services know of each other, by the inventory, and its state directory."""
