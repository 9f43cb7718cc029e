# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The login of the operator at web pages: of Spark, Prometheus, Alertmanager and agents."""

from __future__ import annotations

import base64

USER = "operator"


def basic(password: str) -> str:
    """What stands after ``Basic`` in the header: user and password as RFC 7617 has them."""
    return base64.b64encode(f"{USER}:{password}".encode()).decode()


def curl_options(password: str) -> str:
    """The same for a person to read, and for curl as a file of options."""
    return f'user = "{USER}:{password}"\n'
