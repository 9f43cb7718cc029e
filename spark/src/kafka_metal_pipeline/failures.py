"""Messages for failed queries, with what to do."""

import re
from typing import Any

from kafka_metal_declarations.printable_values import hide_passwords

from kafka_metal_pipeline.registry_requests import RegistryError

OTHER_STATE = "its checkpoint has the state of another statement: give the output another name"
NO_BROKER = "a Kafka broker does not respond: make status"
NO_DATABASE = "the database does not respond: check that it runs, and its url in pipeline_databases"
NO_SERVER = "a server that it needs does not respond: check that it runs, and its address"
JVM_ENDED = "the driver's JVM has ended, as for lack of memory: check resources.driver_memory"
OTHER_DRIVER = "another driver uses the same checkpoint"

# Parts of Spark's and Kafka's errors, and messages for operators. The first match counts.
KNOWN = {
    "failOnDataLoss": (
        "records were deleted before they were read: by the topic's retention, or because the "
        "topic was recreated. Set source.on_data_loss: continue to skip them and continue with "
        "the stored records"
    ),
    "UnknownTopicOrPartition": "a topic it reads or writes does not exist: declare it",
    "TopicAuthorization": "the cluster does not allow it to read or write the topic",
    "SaslAuthentication": "the cluster rejected its user name or password",
    "RecordTooLarge": (
        "a record exceeds max.message.bytes of the topic. If the declaration has a topic of "
        "invalid records, such a row goes there; otherwise raise the limit. It is read again at "
        "the next attempt"
    ),
    "STATE_STORE_KEY_SCHEMA": OTHER_STATE,
    "STATE_STORE_VALUE_SCHEMA": OTHER_STATE,
    "STREAMING_STATEFUL_OPERATOR_NOT_MATCH": OTHER_STATE,
    "_FENCED": (
        "another driver of the same pipeline has started and fenced this one off: stop one of them"
    ),
    "ConcurrentModification": OTHER_DRIVER,
    "CONCURRENT_STREAM_LOG_UPDATE": OTHER_DRIVER,
    "Py4JNetwork": JVM_ENDED,
    "connect to the Java server": JVM_ENDED,
    "Answer from Java side is empty": JVM_ENDED,
    # Of PostgreSQL, MySQL and MariaDB, SQL Server, and Oracle.
    "PSQLException: Connection to": NO_DATABASE,
    "PSQLException: The connection attempt failed": NO_DATABASE,
    "Communications link failure": NO_DATABASE,
    "Socket fail to connect to host": NO_DATABASE,
    "The TCP/IP connection to the host": NO_DATABASE,
    "ORA-12541": NO_DATABASE,
    "ORA-17002": NO_DATABASE,
    "The Network Adapter could not establish": NO_DATABASE,
    "Timed out waiting for a node assignment": NO_BROKER,
    "No resolvable bootstrap urls": NO_BROKER,
    "Failed to get metadata": NO_BROKER,
    "DisconnectException": NO_BROKER,
    "_ALL_BROKERS_DOWN": NO_BROKER,
    "_TRANSPORT": NO_BROKER,
    "not present in metadata": "a topic does not exist, or no Kafka broker responds: make status",
    "ConnectException": NO_SERVER,
    "NoRouteToHostException": NO_SERVER,
    "UnknownHostException": NO_SERVER,
    "Connection refused": NO_SERVER,
}


# Errors that no query of the same JVM survives.
PROCESS = ("OutOfMemoryError", "SparkContext was shut down", "stopped SparkContext", "Py4JNetwork")

# The last line of a Python traceback, which Spark includes in its own error.
RAISED = re.compile(r"^[\w.]*(?:Error|Exception|Exit|Interrupt)\b: .+$", re.MULTILINE)

# py4j's first line has the call, the second one the Java exception.
CALLED = "An error occurred while calling"
THROWN = re.compile(CALLED + r" .+\n: (.+)")


def explain(error: Any) -> str:
    """Return the line with the cause of an error, after its meaning if that is known.

    Drivers of databases repeat their URL in errors: passwords in it are hidden.
    """
    kind = type(error).__name__
    text = str(error).strip() or kind
    own = _raised(text) or text.splitlines()[0]
    if CALLED in own and (thrown := THROWN.search(text)):
        own = thrown[1]
    own = hide_passwords(own)
    if isinstance(error, RegistryError):
        # Names what to check, in place of a remedy for its cause.
        return own
    for part, meaning in KNOWN.items():
        if part in f"{kind}: {text}":
            return f"{meaning} ({own})"
    return own


def is_of_process(error: Any) -> bool:
    """Whether the whole process has to restart, not only the query."""
    text = f"{type(error).__name__}: {error}"
    return any(part in text for part in PROCESS)


def _raised(text: str) -> str | None:
    """Return the last exception in a Python traceback; None if the error has no traceback."""
    _, traceback, rest = text.partition("Traceback (most recent call last)")
    found = RAISED.findall(rest) if traceback else []
    return str(found[-1]) if found else None
