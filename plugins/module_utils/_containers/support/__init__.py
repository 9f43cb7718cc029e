# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""One archive of what helpers ask for, without secrets.

``collector`` gathers on each host, ``text_archive`` joins the archives on the control node,
``redaction`` takes secrets out in both places: what looks like one where it is read, and the values
that the control node knows before anything leaves it.
"""
