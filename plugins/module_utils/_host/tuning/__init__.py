# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a host's kernel and services: what is wanted, what survives a boot, what is live.

One file per kind of setting: each looks at the host and gives rows, and the text of the files that
persist them. tuner.py compares, writes and reads back. Runs on the hosts, with Python 3.9 and its
library alone.
"""
