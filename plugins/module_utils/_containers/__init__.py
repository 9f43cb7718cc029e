# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers: the engine's API, baselines of earlier runs, contents of images, support archives."""
