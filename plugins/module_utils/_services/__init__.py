# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Services that brokers and pipelines depend on, and the options of their credentials."""
