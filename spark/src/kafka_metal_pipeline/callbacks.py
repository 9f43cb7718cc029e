"""Authentication of py4j's callback port, on which Spark calls Python for batches.

PySpark does not authenticate its callers: any user of the host could call it and end a query. Here
it gets the auth token of Spark's own port for Python.
"""

from typing import Any

from pyspark import java_gateway
from pyspark.sql import SparkSession


def protect(spark: SparkSession) -> None:
    """Require the token on the callback port, before its first call."""
    gateway: Any = spark.sparkContext._gateway
    pyspark: Any = java_gateway
    token = gateway.java_parameters.auth_token
    if not token:
        raise RuntimeError("Spark's port for Python has no token")
    if gateway.python_parameters.auth_token == token:
        return
    gateway.python_parameters.auth_token = token
    pyspark.ensure_callback_server_started(gateway)
    # ensure_callback_server_started made py4j recreate the Java client without its token.
    jvm: Any = gateway.jvm
    caller = pyspark.JavaObject("GATEWAY_SERVER", gateway._gateway_client).getCallbackClient()
    field = jvm.java.lang.Class.forName("py4j.CallbackClient").getDeclaredField("authToken")
    field.setAccessible(True)
    field.set(caller, token)
