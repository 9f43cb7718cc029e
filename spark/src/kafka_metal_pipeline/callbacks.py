"""The port by which Spark calls Python, as it does for the batches of an archive or a table.

PySpark asks nobody there: any user of the machine could call what is behind it, and end a query. It
gets the token that Spark's own port for Python has.
"""

from typing import Any

from pyspark import java_gateway
from pyspark.sql import SparkSession


def protect(spark: SparkSession) -> None:
    """Have the port ask for the token from its first caller on."""
    gateway: Any = spark.sparkContext._gateway
    pyspark: Any = java_gateway
    token = gateway.java_parameters.auth_token
    if not token:
        raise RuntimeError("Spark's port for Python has no token")
    if gateway.python_parameters.auth_token == token:
        return
    gateway.python_parameters.auth_token = token
    pyspark.ensure_callback_server_started(gateway)
    # Spark's side was given the port anew, and lost the token on the way: py4j copies all but that.
    jvm: Any = gateway.jvm
    caller = pyspark.JavaObject("GATEWAY_SERVER", gateway._gateway_client).getCallbackClient()
    field = jvm.java.lang.Class.forName("py4j.CallbackClient").getDeclaredField("authToken")
    field.setAccessible(True)
    field.set(caller, token)
