# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Security modes, certificates, service accounts, and the store of credentials.

Runs on the control node alone, which has the library ``cryptography``.
"""
