# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Settings with which the parts of a Spark cluster authenticate each other and encrypt."""

from __future__ import annotations

# What asks for the password of the pages of Spark.
PAGES_FILTER = "metal.kafka.spark.PagePassword"


def spark_properties(secret: str, pages_file: str) -> dict[str, str]:
    """Settings of every part of a Spark cluster whose parts prove who they are and encrypt.

    ``secret`` is what the parts share, ``pages_file`` holds the word that their pages ask for.
    """
    return {
        "spark.authenticate": "true",
        "spark.authenticate.secret": secret,
        "spark.network.crypto.enabled": "true",
        "spark.network.crypto.authEngineVersion": "2",
        "spark.network.crypto.saslFallback": "false",
        # What shuffles and streams spill to the disks of workers.
        "spark.io.encryption.enabled": "true",
        # Pages show and do nothing: whoever reaches one may not end what runs.
        "spark.ui.killEnabled": "false",
        "spark.ui.filters": PAGES_FILTER,
        f"spark.{PAGES_FILTER}.param.file": pages_file,
    }
