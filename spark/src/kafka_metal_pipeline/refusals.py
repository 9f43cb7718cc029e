"""Errors that every start of a pipeline would raise again until its configuration changes."""

from kafka_metal_pipeline import cores, preparation, queries, sql_check
from kafka_metal_pipeline.checkpoint_files import CheckpointError
from kafka_metal_pipeline.librdkafka import OptionError
from kafka_metal_pipeline.marks import LostCheckpointError
from kafka_metal_pipeline.registry import UnusableSchemaError

REFUSALS = (
    CheckpointError,
    cores.CoresError,
    LostCheckpointError,
    OptionError,
    UnusableSchemaError,
    preparation.LimitError,
    queries.StatementError,
    sql_check.SqlError,
)
