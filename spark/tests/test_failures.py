"""Errors of Spark, Kafka and databases as messages with what to do."""

import pytest
from kafka_metal_pipeline.failures import explain


def test_python_error_is_reported_without_traceback() -> None:
    error = (
        "[STREAM_FAILED] Query [id = 1] terminated with exception: [FOREACH_BATCH_USER_FUNCTION_"
        "ERROR] Reason: An exception was raised by the Python Proxy. Return Message: Traceback "
        '(most recent call last):\n  File "callback.py", line 1, in call\n    raise error\n'
        "kafka_metal_pipeline.marks.LostCheckpointError: p: its target was written\n\n\tat java"
    )
    assert explain(error) == (
        "kafka_metal_pipeline.marks.LostCheckpointError: p: its target was written"
    )
    fenced = "Traceback (most recent call last):\ncimpl.KafkaException: code=_FENCED,val=-144"
    assert "another driver of the same pipeline" in explain(fenced)


@pytest.mark.parametrize("before", ["", "Traceback (most recent call last):\npy4j.Py4JJavaError: "])
def test_java_error_is_reported_without_the_call(before: str) -> None:
    error = (
        f"{before}An error occurred while calling z:java.sql.DriverManager.getConnection.\n"
        ": org.postgresql.util.PSQLException: Connection to 127.0.0.1:1 refused.\n\tat org"
    )
    assert explain(error) == (
        "the database does not respond: check that it runs, and its url in pipeline_databases "
        "(org.postgresql.util.PSQLException: Connection to 127.0.0.1:1 refused.)"
    )


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        ("org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node "
         "assignment. Call: describeTopics", "make status"),
        ("org.apache.kafka.common.KafkaException: Failed to create new KafkaAdminClient\n\tat x\n"
         "Caused by: ConfigException: No resolvable bootstrap urls given", "make status"),
        ("org.apache.kafka.common.errors.TimeoutException: Topic out not present in metadata "
         "after 60000 ms.", "make status"),
        ("com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure",
         "pipeline_databases"),
        ("com.microsoft.sqlserver.jdbc.SQLServerException: The TCP/IP connection to the host h, "
         "port 1433 has failed.", "pipeline_databases"),
        ("java.sql.SQLRecoverableException: ORA-17002: I/O error", "pipeline_databases"),
        ("java.net.ConnectException: Call From a to nn:8020 failed", "a server that it needs"),
        ("java.net.UnknownHostException: s3.example.com", "a server that it needs"),
    ],
)  # fmt: skip
def test_a_refused_connection_has_a_cause_and_what_helps(error: str, remedy: str) -> None:
    called = f"An error occurred while calling o12.save.\n: {error}\n\tat java"
    found = explain(RuntimeError(called))
    assert remedy in found
    assert found.endswith(f"({error.splitlines()[0]})")


def test_a_jvm_that_has_ended_is_named() -> None:
    class Py4JNetworkError(Exception):
        pass

    for text in ("Answer from Java side is empty", "[Errno 111] Connection refused"):
        assert "resources.driver_memory" in explain(Py4JNetworkError(text))


def test_passwords_of_urls_are_not_in_errors_of_drivers() -> None:
    error = "No suitable driver found for jdbc:x://shop:AAAA@h/d?sslpassword=AAAA"
    hidden = "No suitable driver found for jdbc:x://<hidden>@h/d?sslpassword=<hidden>"
    assert explain(RuntimeError(error)) == hidden


def test_known_failure_has_a_remedy() -> None:
    message = explain(RuntimeError("Offsets are gone\nset failOnDataLoss to false"))
    assert message.startswith("records were deleted before they were read")
    assert message.endswith("(Offsets are gone)")
    assert explain(RuntimeError("new")) == "new"
