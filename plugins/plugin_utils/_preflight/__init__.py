# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with an inventory, found before anything is touched.

``checks`` has the table of all checks; each file ``check_*`` has those of one subject.
"""
