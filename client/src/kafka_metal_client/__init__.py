"""Clients of a kafka-metal platform: send, count record by record, report.

The command line is ``kafka-metal`` (cli.py). Only brokers.py imports the Kafka client and only
archive.py imports pyarrow, each when it is first needed: reports and file checks need neither.
"""
