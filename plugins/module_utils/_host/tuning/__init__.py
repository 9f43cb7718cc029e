# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a host's kernel and services: desired, persisted for the next boot, and live.

One file per kind of setting: each inspects the host and returns rows, and the text of the files
that persist them. tuner.py compares, writes and reads back. Runs on the hosts, with Python 3.9 or
later and its standard library only.
"""
