# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Alerts, metrics, and the configuration of Prometheus and Alertmanager, from ``monitoring/``."""
