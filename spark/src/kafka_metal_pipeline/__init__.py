"""Streaming pipelines declared as data: a topic in, SQL over it, topics and an archive out."""
