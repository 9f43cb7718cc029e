# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys that Alertmanager and Prometheus accept where a site passes its own to them.

Both refuse to start with another key. Sources: config/notifiers.go of Alertmanager,
config/config.go of Prometheus, config/http_config.go of prometheus/common and web/tls_config.go of
exporter-toolkit.
Review them when a version in VERSIONS changes. A site can choose another version, which may have
other keys: then they are not checked when files are rendered, and are notes of preflight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...module_utils._common.suggestions import list_allowed
from .alerts import MonitoringError

# Versions whose keys these are, by key of versions.yml.
VERSIONS = {"alertmanager": "0.28.1", "prometheus": "2.53.3"}

# By channel of monitoring_receivers.
CHANNEL_KEYS: Mapping[str, tuple[str, ...]] = {
    "pagerduty": (
        *("send_resolved", "http_config", "service_key", "service_key_file", "routing_key"),
        *("routing_key_file", "url", "client", "client_url", "description", "details", "images"),
        *("links", "source", "severity", "class", "component", "group"),
    ),
    "slack": (
        *("send_resolved", "http_config", "api_url", "api_url_file", "channel", "username"),
        *("color", "title", "title_link", "pretext", "text", "fields", "short_fields", "footer"),
        *("fallback", "callback_id", "icon_emoji", "icon_url", "image_url", "thumb_url"),
        *("link_names", "mrkdwn_in", "actions"),
    ),
    "mail": (
        *("send_resolved", "to", "from", "hello", "smarthost", "auth_username", "auth_password"),
        *("auth_password_file", "auth_secret", "auth_identity", "headers", "html", "text"),
        *("require_tls", "tls_config"),
    ),
    "webhook": ("send_resolved", "http_config", "url", "url_file", "max_alerts", "timeout"),
}
# By channel, keys of which a configuration needs one of each group: there are no global defaults.
REQUIRED_KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "pagerduty": (("routing_key", "routing_key_file", "service_key", "service_key_file"),),
    "slack": (("api_url", "api_url_file"),),
    "mail": (("to",), ("from",), ("smarthost",)),
    "webhook": (("url", "url_file"),),
}
_CLIENT_KEYS = (
    *("basic_auth", "authorization", "oauth2", "bearer_token", "bearer_token_file", "tls_config"),
    *("follow_redirects", "enable_http2", "http_headers", "proxy_url", "no_proxy"),
    *("proxy_from_environment", "proxy_connect_header", "scheme", "relabel_configs"),
)
# Of a scrape_config.
SCRAPE_KEYS = (
    *_CLIENT_KEYS,
    *("honor_labels", "honor_timestamps", "track_timestamps_staleness", "params"),
    *("scrape_interval", "scrape_timeout", "scrape_protocols", "scrape_classic_histograms"),
    *("metrics_path", "enable_compression", "body_size_limit", "sample_limit", "target_limit"),
    *("label_limit", "label_name_length_limit", "label_value_length_limit"),
    *("native_histogram_bucket_limit", "native_histogram_min_bucket_factor"),
    *("keep_dropped_targets", "metric_relabel_configs", "static_configs", "job_name"),
)
# Of Prometheus' connection to an Alertmanager.
ALERTMANAGER_KEYS = (
    *_CLIENT_KEYS,
    *("sigv4", "path_prefix", "timeout", "api_version", "alert_relabel_configs", "static_configs"),
)
# Of a web configuration, and of the mappings in it.
WEB_KEYS: Mapping[str, tuple[str, ...]] = {
    "tls_server_config": (
        *("cert", "key", "client_ca", "cert_file", "key_file", "client_auth_type"),
        *("client_ca_file", "cipher_suites", "curve_preferences", "min_version", "max_version"),
        *("prefer_server_cipher_suites", "client_allowed_sans"),
    ),
    "http_server_config": ("http2", "headers"),
    "basic_auth_users": (),
}
_DISCOVERY = "_sd_configs"


class UnknownOptionError(MonitoringError):
    """A key is unknown, or a required one is missing, in the version of VERSIONS."""


def is_known(component: str, version: str) -> bool:
    """Whether the keys are those of a component's ``version``; empty: the collection's version."""
    return version in ("", VERSIONS[component])


def check_mapping(where: str, value: Any) -> None:
    """Raise MonitoringError unless ``value`` is a mapping; the value may be a secret."""
    if not isinstance(value, Mapping):
        raise MonitoringError(f"{where}: found {type(value).__name__}; allowed: a mapping")


def check_keys(where: str, value: Any, allowed: Collection[str]) -> None:
    """Raise MonitoringError unless ``value`` is a mapping with only ``allowed`` keys."""
    check_mapping(where, value)
    for key in sorted(map(str, value)):
        if key not in allowed:
            raise UnknownOptionError(
                f"{where}: found key {key}; allowed: {list_allowed(key, allowed)}"
            )


def check_channel(where: str, channel: str, configuration: Any, known: bool = True) -> None:
    """Check one configuration of a channel, its keys if they are known; raises MonitoringError."""
    check_mapping(where, configuration)
    if not known:
        return
    check_keys(where, configuration, CHANNEL_KEYS[channel])
    for group in REQUIRED_KEYS[channel]:
        if not any(configuration.get(key) for key in group):
            raise UnknownOptionError(
                f"{where}: found no {group[0]}; required: {' or '.join(group)}"
            )


def check_client_options(
    where: str, options: Any, allowed: Collection[str], known: bool = True
) -> None:
    """Check options of a scrape_config or Alertmanager, their keys if they are known.

    Any service discovery is allowed. Raises MonitoringError.
    """
    check_mapping(where, options)
    if known:
        own = {k: v for k, v in options.items() if not str(k).endswith(_DISCOVERY)}
        check_keys(where, own, allowed)


def check_web(where: str, configuration: Any, known: bool = True) -> None:
    """Check a web configuration, its keys if they are known; raises MonitoringError."""
    check_mapping(where, configuration)
    if known:
        check_keys(where, configuration, WEB_KEYS)
    for key, value in configuration.items():
        if known and WEB_KEYS[key]:
            check_keys(f"{where}.{key}", value, WEB_KEYS[key])
        else:
            check_mapping(f"{where}.{key}", value)
