"""Parsing of pipeline declarations and data files, without Spark and without a Kafka client.

Used by the command line, by drivers and by the control node.
"""
