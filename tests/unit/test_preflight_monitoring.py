"""Declarations that the role `monitoring` could not render, or that its services refuse."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.monitoring import alert_routes, scrape_config
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.known_options import (
    CHANNEL_KEYS,
    REQUIRED_KEYS,
    VERSIONS,
)
from preflight_sites import Faults, ValidSite, validated

ROOT = Path(__file__).resolve().parents[2]
SECRET = "s3cret"
SUBJECTS = ("alerts", "receivers", "options", "targets", "entries", "web")
CHECKS = {f"monitoring_{name}" for name in SUBJECTS}


def declared(variable: str, value: Any):
    """Return a function that declares a variable on two hosts with monitoring."""

    def plant(site: ValidSite) -> None:
        site.groups["monitoring"] = ["m1", "m2"]
        for host in site.groups["monitoring"]:
            site.hosts[host][f"monitoring_{variable}"] = value

    return plant


def alert(**changes: Any):
    return declared("alerts", {"BrokerDown": changes})


def receiver(channel: str, *configurations: Any):
    return declared("receivers", {"page": {channel: list(configurations)}})


def target(address: str) -> dict[str, str]:
    return {"address": address, "cluster": "c", "host": "m9", "instance": "m9"}


ENTRY = {
    "image": "example/blackbox:1",
    "command": ["blackbox"],
    "port": 9115,
    "target": "/etc/blackbox",
    "memory": "64m",
}
ALERTS, RECEIVERS = "monitoring: monitoring_alerts", "monitoring: monitoring_receivers"

FAULTS: Faults = {
    "alerts that are a list": (declared("alerts", ["BrokerDown"]), [f"{ALERTS}: found ['Broker"]),
    "an alert that does not exist": (
        declared("alerts", {"BrokerDwon": False}),
        [f"{ALERTS}.BrokerDwon: found false, but no such alert exists; allowed: names of exist"],
    ),
    "an unknown key of an alert": (
        alert(severty="page"),
        [f"{ALERTS}.BrokerDown: found key severty; allowed: description, equal"],
    ),
    "an unknown limit": (
        alert(limits={"brokers": 1}),
        [f"{ALERTS}.BrokerDown.limits: found brokers; allowed:"],
    ),
    "limits that are a number": (
        alert(limits=5),
        [f"{ALERTS}.BrokerDown.limits: found 5; allowed: a mapping of numbers"],
    ),
    "an expression that is a number": (
        alert(expr=5),
        [f"{ALERTS}.BrokerDown.expr: found 5; allowed: a text"],
    ),
    "an inhibited alert without a list": (
        alert(inhibits="HostDown"),
        [f"{ALERTS}.BrokerDown.inhibits: found 'HostDown'; allowed: a list of names"],
    ),
    "a new alert without a summary": (
        declared("alerts", {"Mine": {"severity": "page", "expr": "up == 0"}}),
        [f"{ALERTS}.Mine: found no summary; allowed: severity, expr, summary, description"],
    ),
    "receivers that are a list": (
        declared("receivers", [SECRET]),
        [f"{RECEIVERS}: found list; allowed: a mapping"],
    ),
    "an unknown severity": (
        declared("receivers", {"pages": {}}),
        [f"{RECEIVERS}: found pages; allowed: page, ticket, heartbeat"],
    ),
    "channels that are a list": (
        declared("receivers", {"page": [SECRET]}),
        [f"{RECEIVERS}.page: found list; allowed: a mapping"],
    ),
    "an unknown channel": (
        receiver("pager", {}),
        [f"{RECEIVERS}.page: found pager; allowed: pagerduty, slack"],
    ),
    "a channel without a list": (
        declared("receivers", {"page": {"webhook": {"url": SECRET}}}),
        [f"{RECEIVERS}.page.webhook: found no list, or an empty one; allowed: a list"],
    ),
    "a configuration that is a text": (
        receiver("webhook", SECRET),
        [f"{RECEIVERS}.page.webhook[0]: found str; allowed: a mapping"],
    ),
    "a typo in a channel": (
        receiver("pagerduty", {"routing_key": SECRET}, {"routing_kye": SECRET}),
        [f"{RECEIVERS}.page.pagerduty[1]: found key routing_kye; allowed: routing_key (did you "],
    ),
    "a channel without an address": (
        receiver("mail", {"to": "a@example.com", "from": "b@example.com"}),
        [f"{RECEIVERS}.page.mail[0]: found no smarthost; allowed: smarthost"],
    ),
    "targets of an unknown job": (
        declared("targets", {"kafak": []}),
        ["monitoring: monitoring_targets: found job kafak; allowed: alertmanager, exporter"],
    ),
    "a target without a host": (
        declared("targets", {"node": [{"address": "m9:9100", "cluster": "c", "instance": "m9"}]}),
        ["monitoring: monitoring_targets.node: found a target with the keys address, cluster, "
         "instance; "],
    ),
    "a target without a port": (
        declared("targets", {"node": [target("m9")]}),
        ["monitoring: monitoring_targets.node: found the address m9; allowed: host:port"],
    ),
    "a target twice": (
        declared("targets", {"node": [target("m9:9100"), target("m9:9100")]}),
        ["monitoring: monitoring_targets.node: found target m9 twice; allowed: once"],
    ),
    "own entries that are a list": (
        declared("extra_entries", ["blackbox"]),
        ["monitoring: monitoring_extra_entries: found list; allowed: a mapping"],
    ),
    "an own entry with the name of the role's": (
        declared("extra_entries", {"probe": ENTRY}),
        ["monitoring: monitoring_extra_entries: found probe; allowed: names other than "
         "alertmanager"],
    ),
    "an own entry with an unknown key": (
        declared("extra_entries", {"blackbox": {**ENTRY, "ports": [9115]}}),
        ["monitoring: monitoring_extra_entries.blackbox: found key ports; allowed: port (did "
         "you mean"],
    ),
    "an own entry without memory": (
        declared("extra_entries", {"blackbox": {**ENTRY, "memory": ""}}),
        ["monitoring: monitoring_extra_entries.blackbox: found no memory; allowed: image, command"],
    ),
    "an own entry with a port that is none": (
        declared("extra_entries", {"blackbox": {**ENTRY, "port": "http"}}),
        ["monitoring: monitoring_extra_entries.blackbox.port: found http; allowed: 1 to 65535"],
    ),
    "options of an unknown job": (
        declared("scrape_options", {"kafak": {}}),
        ["monitoring: monitoring_scrape_options: found job kafak; allowed: alertmanager, exporter"],
    ),
    "an unknown scrape option": (
        declared("scrape_options", {"kafka": {"schema": "https"}}),
        ["monitoring: monitoring_scrape_options.kafka: found key schema; allowed: scheme (did "
         "you mean"],
    ),
    "scrape options that are a text": (
        declared("scrape_options", {"kafka": SECRET}),
        ["monitoring: monitoring_scrape_options.kafka: found str; allowed: a mapping"],
    ),
    "an unknown option of Alertmanager": (
        declared("alertmanager_options", {"basic_aut": {}}),
        ["monitoring: monitoring_alertmanager_options: found key basic_aut; allowed: basic_auth "
         "(did"],
    ),
    "an unknown key of the web configuration": (
        declared("web", {"basic_auth_user": {"a": SECRET}}),
        ["monitoring: monitoring_web: found key basic_auth_user; allowed: basic_auth_users (did "
         "you mean"],
    ),
    "an unknown key of its TLS": (
        declared("web", {"tls_server_config": {"certfile": "web.pem"}}),
        ["monitoring: monitoring_web.tls_server_config: found key certfile; allowed: cert_file "
         "(did you"],
    ),
}  # fmt: skip


def problems(site: ValidSite) -> list[str]:
    """Return problems of the checks of monitoring; the site has no other options of the role."""
    found = [each for each in validated(site) if each.check in CHECKS]
    assert all(each.fatal for each in found)
    return [str(each) for each in found]


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_once_without_secrets(name):
    plant, parts = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = problems(site)
    assert len(found) == 1, found
    assert all(part in found[0] for part in parts), found
    assert SECRET not in found[0]


@pytest.mark.parametrize(
    "plant",
    [
        alert(severity="ticket"),
        declared("alerts", {"BrokerDown": False}),
        receiver("pagerduty", {"routing_key": SECRET, "severity": "warning"}),
        receiver("slack", {"api_url": "https://example.com/x", "channel": "#kafka"}),
        declared("scrape_options", {"node": {"scheme": "https", "dns_sd_configs": []}}),
        declared("alertmanager_options", {"basic_auth": {"username": "a"}, "timeout": "5s"}),
        declared("targets", {"node": [target("m9:9100"), {**target(""), "instance": "m8"}]}),
        declared("extra_entries", {"blackbox": {**ENTRY, "textfile": True}}),
        declared("web", {"tls_server_config": {"cert_file": "a"}, "basic_auth_users": {"a": "b"}}),
    ],
)
def test_valid_declarations_are_accepted(plant):
    site = ValidSite()
    plant(site)
    assert problems(site) == []


def test_required_keys_are_known_keys():
    assert set(REQUIRED_KEYS) == set(CHANNEL_KEYS)
    for channel, groups in REQUIRED_KEYS.items():
        assert {key for group in groups for key in group} <= set(CHANNEL_KEYS[channel])


def with_versions(plant: Any, **versions: str):
    """Return a function that plants a fault and declares versions of images."""

    def plant_both(site: ValidSite) -> None:
        plant(site)
        for host in site.hosts.values():
            host["image_versions"] = versions

    return plant_both


OTHER_VERSIONS: dict[str, tuple[Any, str, str]] = {
    "an unknown key of a channel": (
        receiver("slack", {"api_url": SECRET, "app_tokn": SECRET}),
        "alertmanager",
        f"{RECEIVERS}.page.slack[0]: found key app_tokn (keys of alertmanager 0.28.1; those of "
        "9.9.9 are not known); recommended: ",
    ),
    "a channel without a required key": (
        receiver("slack", {"channel": "a"}),
        "alertmanager",
        f"{RECEIVERS}.page.slack[0]: found no api_url (keys of",
    ),
    "a scrape option": (
        declared("scrape_options", {"kafka": {"fallback_scrape_protocol": "x"}}),
        "prometheus",
        "monitoring: monitoring_scrape_options.kafka: found key fallback_scrape_protocol (keys of",
    ),
    "a key of the web configuration": (
        declared("web", {"new_key": {"a": 1}}),
        "prometheus",
        "monitoring: monitoring_web: found key new_key",
    ),
}
NOTES: Faults = {
    name: (with_versions(plant, **{component: "9.9.9"}), [part])
    for name, (plant, component, part) in OTHER_VERSIONS.items()
}


@pytest.mark.parametrize("name", NOTES)
def test_options_of_another_version_are_notes(name):
    plant, component, part = OTHER_VERSIONS[name]
    found = found_by_checks(plant)
    assert [problem.fatal for problem in found] == [True]
    found = found_by_checks(NOTES[name][0])
    assert [problem.fatal for problem in found] == [False]
    assert part in str(found[0])
    other = "prometheus" if component == "alertmanager" else "alertmanager"
    found = found_by_checks(with_versions(plant, **{other: "9.9.9"}))
    assert [problem.fatal for problem in found] == [True]


def test_values_that_are_no_mapping_are_refused_in_every_version():
    plant = receiver("webhook", {"new_key": 1}, SECRET)
    found = found_by_checks(with_versions(plant, alertmanager="9.9.9"))
    assert [(problem.fatal, problem.found) for problem in found] == [(True, "str")]


def found_by_checks(plant: Any):
    """Return the results of the checks of monitoring."""
    site = ValidSite()
    plant(site)
    return [problem for problem in validated(site) if problem.check in CHECKS]


def test_options_of_another_version_are_rendered():
    pager = {"page": {"slack": [{"app_token": "a"}]}}
    assert "app_token: a" in alert_routes(pager, {}, version="9.9.9")
    with pytest.raises(AnsibleFilterError, match="found key app_token"):
        alert_routes(pager, {}, version=VERSIONS["alertmanager"])
    options = {"kafka": {"fallback_scrape_protocol": "x"}}
    assert "fallback_scrape_protocol: x" in scrape_config([], options, version="9.9.9")
    with pytest.raises(AnsibleFilterError, match="found key fallback_scrape_protocol"):
        scrape_config([], options, version=VERSIONS["prometheus"])


def test_known_options_are_those_of_the_versions_in_use():
    versions = yaml.safe_load((ROOT / "versions.yml").read_text())
    assert {key: versions[key] for key in VERSIONS} == VERSIONS
