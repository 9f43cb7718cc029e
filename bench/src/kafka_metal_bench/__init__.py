"""Measures a Kafka cluster beside the limits of its machine, and reports."""
