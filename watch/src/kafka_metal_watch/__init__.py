"""A Kafka cluster, looked at from outside."""
