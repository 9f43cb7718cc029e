# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Settings for authentication and encryption between the services of a Spark cluster."""

from __future__ import annotations

# Servlet filter that requires the password of Spark's web pages.
PAGES_FILTER = "metal.kafka.spark.PagePassword"


def spark_properties(secret: str, pages_file: str) -> dict[str, str]:
    """Settings of all services of a secured Spark cluster.

    ``secret`` is their shared secret, ``pages_file`` the file with the login of their web pages.
    """
    return {
        "spark.authenticate": "true",
        "spark.authenticate.secret": secret,
        "spark.network.crypto.enabled": "true",
        "spark.network.crypto.authEngineVersion": "2",
        "spark.network.crypto.saslFallback": "false",
        # Encrypts data that shuffles and streams spill to the disks of workers.
        "spark.io.encryption.enabled": "true",
        # Web pages are read-only: their users cannot stop applications.
        "spark.ui.killEnabled": "false",
        "spark.ui.filters": PAGES_FILTER,
        f"spark.{PAGES_FILTER}.param.file": pages_file,
    }
