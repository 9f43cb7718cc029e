"""Streaming pipelines from declarations: topics, SQL queries over them, and their outputs."""
