# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What services know of each other, computed from the inventory."""
