"""What operators run: send a file, replay a part of a topic, print status, report and groups.

The command line is ``kafka-metal`` (cli.py). Functions import the Kafka client when they need it:
screens and file checks run without it.
"""
