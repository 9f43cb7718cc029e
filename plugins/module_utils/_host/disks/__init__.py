# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Data disks: devices, file systems, mounts, and the steps that prepare or release them."""
