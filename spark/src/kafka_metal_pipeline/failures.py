"""Why a query died, in a sentence that says what to do."""

import re
from typing import Any

OTHER_STATE = "its checkpoint holds the state of another statement: name the output anew"
OTHER_DRIVER = "another driver uses the same checkpoint"

# Words in the error of a query, and what they mean to an operator. The first that fits counts.
KNOWN = {
    "failOnDataLoss": (
        "records that were not read yet are gone: the topic's retention took them, or the topic "
        "was made anew. Set source.on_data_loss: continue to go on with what is there; that "
        "skips them"
    ),
    "UnknownTopicOrPartition": "a topic it reads or writes does not exist: declare it",
    "TopicAuthorization": "the cluster does not allow it to read or write the topic",
    "SaslAuthentication": "the cluster refused its name or password",
    "RecordTooLarge": (
        "a record is larger than the topic takes. Where the declaration has a topic of invalid "
        "records such a row goes there; else raise max.message.bytes of the topic. The limit is "
        "read again with the next try"
    ),
    "STATE_STORE_KEY_SCHEMA": OTHER_STATE,
    "STATE_STORE_VALUE_SCHEMA": OTHER_STATE,
    "STREAMING_STATEFUL_OPERATOR_NOT_MATCH": OTHER_STATE,
    "_FENCED": (
        "another driver of the same pipeline has started, and this one may write no more: one of "
        "them is to be stopped"
    ),
    "ConcurrentModification": OTHER_DRIVER,
    "CONCURRENT_STREAM_LOG_UPDATE": OTHER_DRIVER,
}


# What no query of the same JVM survives either.
PROCESS = ("OutOfMemoryError", "SparkContext was shut down", "stopped SparkContext", "Py4JNetwork")

# The last line of a traceback, which Spark hands on inside its own error.
RAISED = re.compile(r"^[\w.]*(?:Error|Exception|Exit|Interrupt)\b: .+$", re.MULTILINE)

# py4j names the call in the first line, and in the second one what Java has thrown.
CALLED = "An error occurred while calling"
THROWN = re.compile(CALLED + r" .+\n: (.+)")


def explain(error: Any) -> str:
    """The line of an error that has its cause, preceded by what it means when that is known."""
    text = str(error).strip() or type(error).__name__
    own = _raised(text) or text.splitlines()[0]
    if CALLED in own and (thrown := THROWN.search(text)):
        own = thrown[1]
    for words, meaning in KNOWN.items():
        if words in text:
            return f"{meaning} ({own})"
    return own


def is_of_process(error: Any) -> bool:
    """Whether the whole process has to be started again, and not the query alone."""
    text = f"{type(error).__name__}: {error}"
    return any(words in text for words in PROCESS)


def _raised(text: str) -> str | None:
    """What our own code raised while it wrote a batch; None when it was not our code."""
    _, traceback, rest = text.partition("Traceback (most recent call last)")
    found = RAISED.findall(rest) if traceback else []
    return str(found[-1]) if found else None
