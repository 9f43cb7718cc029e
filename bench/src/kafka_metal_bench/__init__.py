"""Measure a Kafka cluster and the limits of its machine, and write a report."""
