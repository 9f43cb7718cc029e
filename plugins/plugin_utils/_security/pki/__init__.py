# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The private CA of a cluster and the certificates of its members.

For the control node only, which has the library ``cryptography``. No I/O: functions take texts and
times, and return objects and texts.
"""
