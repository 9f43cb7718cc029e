# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Security modes, certificates, service accounts, and the store of credentials.

For the control node only, which has the library ``cryptography``.
"""
