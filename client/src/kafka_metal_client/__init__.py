"""Tools for operators: send a file, replay a range of a topic, print status, report and groups.

The command line is ``kafka-metal`` (cli.py). Functions import the Kafka client only when needed:
screens and file checks run without it.
"""
