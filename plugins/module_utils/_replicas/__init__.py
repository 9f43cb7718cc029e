# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Where replicas are: reassignments, elections, log dirs, and how far a broker has caught up."""
