# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The operator's login to the web pages of Spark, Prometheus, Alertmanager and agents."""

from __future__ import annotations

import base64

USER = "operator"


def basic_credentials(password: str) -> str:
    """Return the credentials of an ``Authorization: Basic`` header, as RFC 7617 defines them."""
    return base64.b64encode(f"{USER}:{password}".encode()).decode()


def curl_options(password: str) -> str:
    """Return user and password as a curl configuration file, which people can read as well."""
    return f'user = "{USER}:{password}"\n'
