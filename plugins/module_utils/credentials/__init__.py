# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The secrets of a cluster: what is wished, what the store holds, and the way between them.

Decisions alone. Files, the vault and the clock are the business of ``plugin_utils``.
"""
