# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The private CA of a cluster and the certificates of its members.

Runs on the control node alone, which has the library ``cryptography``. Nothing here reads a file or
a clock: texts and times come in, objects and texts go out.
"""
