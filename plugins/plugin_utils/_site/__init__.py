# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A site: its hosts, its services with their ports, and the state directory of its cluster."""
