# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Support archives: logs, states and configuration of a cluster, without secrets.

``collector`` reads on each host, ``text_archive`` joins the archives on the control node.
``redaction`` removes secrets in both places: on hosts by pattern, on the control node also the
values of known secrets.
"""
