import json

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alertmanager import (
    alertmanager_config,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import (
    MonitoringError,
    parse_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_jobs,
    read_series,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.prometheus import (
    prometheus_config,
    proxy_config,
    target_file,
)

PLAIN = {"expr": "up == 0", "summary": "s", "description": "d"}
ALERTS = parse_alerts(
    {
        "Big": {**PLAIN, "severity": "page", "inhibits": ["Small", "Tiny"], "equal": ["host"]},
        "Small": {**PLAIN, "severity": "ticket"},
        "Tiny": {**PLAIN, "severity": "ticket"},
    }
)
KEY = {"routing_key": "0123"}


def target(instance, address="h:1", **changes):
    labels = {"cluster": "main", "host": "node1", "instance": instance, "address": address}
    return {**labels, **changes}


def test_targets_are_sorted_and_have_labels_for_notifications():
    written = target_file("kafka", [target("kafka2", "n2:9404"), target("kafka1", "n1:9404")])
    assert json.loads(written) == [
        {
            "targets": ["n1:9404"],
            "labels": {"cluster": "main", "host": "node1", "instance": "kafka1"},
        },
        {
            "targets": ["n2:9404"],
            "labels": {"cluster": "main", "host": "node1", "instance": "kafka2"},
        },
    ]


def test_instance_without_metrics_is_no_target():
    assert json.loads(target_file("kafka", [target("kafka1", "")])) == []


@pytest.mark.parametrize(
    ("targets", "blocker"),
    [
        ([target("kafka1"), target("kafka1")], "found target kafka1 twice; allowed: once"),
        (
            [{"address": "h:1"}],
            "keys address; required: exactly address, cluster, host, instance",
        ),
    ],
)
def test_invalid_targets_are_refused(targets, blocker):
    with pytest.raises(MonitoringError, match=f"monitoring_targets.kafka: .*{blocker}"):
        target_file("kafka", targets)


PROXIES = {"node1": "n1:9443", "node2": "n2:9443"}


def test_target_behind_a_proxy_is_a_module_of_the_proxy():
    (written,) = json.loads(target_file("kafka", [target("kafka1", "127.0.0.1:9404")], PROXIES))
    assert written["targets"] == ["n1:9443"]
    labels = written["labels"]
    assert (labels["host"], labels["instance"]) == ("node1", "kafka1")
    parameters = {key: labels[key] for key in labels if key.startswith("__")}
    assert parameters == {
        "__scheme__": "https",
        "__metrics_path__": "/proxy",
        "__param_module": "kafka1",
    }


def test_prometheus_uses_tls_and_a_token_for_proxies():
    jobs = {"kafka": {}, "node": {}}
    config = prometheus_config(jobs, [], {"node": {"tls_config": {"ca_file": "x"}}}, proxied=True)
    kafka, node = config["scrape_configs"]
    assert kafka["tls_config"] == {"ca_file": "/etc/prometheus/ca.pem"}
    assert kafka["authorization"] == {"credentials_file": "/etc/prometheus/metrics.token"}
    # Options of the site take precedence.
    assert node["tls_config"] == {"ca_file": "x"}


def test_proxy_serves_targets_of_its_machine():
    targets = {
        "kafka": [target("kafka1", "127.0.0.1:9404"), target("kafka2", "x:1", host="node2")],
        "special": [target("s1", "127.0.0.1:7000")],
        "zookeeper": [target("zk1", "")],
    }
    modules = proxy_config({"kafka": {}, "special": {"path": "/own"}}, targets, "node1")["modules"]
    assert set(modules) == {"kafka1", "s1"}
    expected = {"address": "127.0.0.1", "port": 9404, "path": "/metrics", "verify": False}
    assert modules["kafka1"] == {"method": "http", "http": expected}
    assert modules["s1"]["http"]["path"] == "/own"


PAGES = ("prometheus", "alertmanager")
LOGIN = {"basic_auth": {"username": "operator", "password_file": "/etc/prometheus/web.password"}}


def test_prometheus_sends_the_password_only_to_jobs_with_a_login():
    jobs = {**{page: {"login": True} for page in PAGES}, "kafka": {}}
    config = prometheus_config(jobs, ["a:9093"], password=True)
    logins = {each["job_name"]: each.get("basic_auth") for each in config["scrape_configs"]}
    assert logins == {**dict.fromkeys(PAGES, LOGIN["basic_auth"]), "kafka": None}
    (alertmanager,) = config["alerting"]["alertmanagers"]
    assert alertmanager["basic_auth"] == LOGIN["basic_auth"]


def test_authentication_options_of_the_site_take_precedence():
    own = {"authorization": {"credentials": "x"}}
    config = prometheus_config(
        {"prometheus": {"login": True}}, [], {"prometheus": own}, own, password=True
    )
    (job,) = config["scrape_configs"]
    (alertmanager,) = config["alerting"]["alertmanagers"]
    assert not {"basic_auth"} & (set(job) | set(alertmanager))
    assert job["authorization"] == alertmanager["authorization"] == own["authorization"]


def test_proxy_sends_the_password_only_to_jobs_with_a_login():
    targets = {job: [target(f"{job}1", "127.0.0.1:1")] for job in (*PAGES, "kafka")}
    jobs = {**{page: {"login": True} for page in PAGES}, "kafka": {}}
    jobs_of_prometheus = prometheus_config(jobs, [], proxied=True, password=True)["scrape_configs"]
    assert not [each for each in jobs_of_prometheus if "basic_auth" in each]
    modules = proxy_config(jobs, targets, "node1", "secret")["modules"]
    passwords = {name: each["http"].get("basic_auth_password") for name, each in modules.items()}
    assert passwords == {"prometheus1": "secret", "alertmanager1": "secret", "kafka1": None}


def test_scrape_timeout_is_within_the_interval():
    config = prometheus_config(
        {"kafka": {"interval": "15s"}, "probe": {"interval": "5s", "path": "/figures"}},
        ["b:9093", "a:9093"],
        options={"kafka": {"scheme": "https"}},
    )
    assert config["rule_files"] == ["/etc/prometheus/rules.yml"]
    assert config["alerting"]["alertmanagers"][0]["static_configs"] == [
        {"targets": ["a:9093", "b:9093"]}
    ]
    assert config["scrape_configs"] == [
        {
            "job_name": "kafka",
            "scrape_interval": "15s",
            "scrape_timeout": "10s",
            "file_sd_configs": [{"files": ["/etc/prometheus/targets-kafka.json"]}],
            "scheme": "https",
        },
        {
            "job_name": "probe",
            "scrape_interval": "5s",
            "scrape_timeout": "5s",
            "metrics_path": "/figures",
            "file_sd_configs": [{"files": ["/etc/prometheus/targets-probe.json"]}],
        },
    ]


@pytest.mark.parametrize(
    ("jobs", "options", "blocker"),
    [
        ({"kafka": {"interval": "often"}}, {}, "interval: found often; allowed: a duration"),
        ({"kafka": {"timeout": "5s"}}, {}, "kafka: found key timeout; allowed: interval"),
        (
            {"kafka": {}},
            {"kafak": {}},
            "monitoring_scrape_options: found job kafak; allowed: kafka",
        ),
    ],
)
def test_invalid_jobs_are_refused(jobs, options, blocker):
    with pytest.raises(MonitoringError, match=blocker):
        prometheus_config(jobs, [], options)


def test_every_job_has_series_and_every_series_a_job():
    assert set(read_jobs()) == set(read_series()) - {"every"}
    assert {each.job for each in SERVICES if each.job} <= set(read_jobs())


def routes(config):
    return {route["matchers"][0]: route["receiver"] for route in config["route"]["routes"]}


def test_severities_without_receiver_send_no_notifications():
    config = alertmanager_config(ALERTS, {"page": {"pagerduty": [KEY]}})
    assert routes(config) == {
        'severity="page"': "page",
        'severity="ticket"': "none",
        'severity="heartbeat"': "none",
    }
    assert [each["name"] for each in config["receivers"]] == ["none", "page"]


def test_page_has_cluster_host_and_link_to_runbook():
    config = alertmanager_config(ALERTS, {"page": {"pagerduty": [KEY]}}, "https://wiki/runbooks")
    (pager,) = config["receivers"][1]["pagerduty_configs"]
    assert pager["routing_key"] == "0123"
    assert pager["send_resolved"] is True
    assert pager["group"] == "{{ .CommonLabels.cluster }}"
    assert pager["component"] == "{{ .CommonLabels.host }}"
    assert pager["links"][0]["href"] == "{{ (index .Alerts 0).Annotations.runbook }}"
    assert set(pager["details"]) == {"cluster", "host", "instance", "runbook", "alerts"}


def test_runbook_directory_is_no_link():
    config = alertmanager_config(ALERTS, {"page": {"pagerduty": [KEY]}}, "docs/operate/alerts")
    assert "links" not in config["receivers"][1]["pagerduty_configs"][0]


def test_receiver_options_of_the_inventory_take_precedence():
    slack = {"api_url": "https://hooks/x", "channel": "#ops", "title": "ours"}
    config = alertmanager_config(ALERTS, {"ticket": {"slack": [slack]}})
    assert config["receivers"][1]["slack_configs"][0]["title"] == "ours"


def test_inhibition_needs_equal_labels():
    assert alertmanager_config(ALERTS, {})["inhibit_rules"] == [
        {
            "source_matchers": ['alertname="Big"'],
            "target_matchers": ['alertname=~"Small|Tiny"'],
            "equal": ["host"],
        }
    ]


def test_heartbeat_is_sent_every_minute():
    config = alertmanager_config(ALERTS, {"heartbeat": {"webhook": [{"url": "https://x"}]}})
    (route,) = [r for r in config["route"]["routes"] if r["receiver"] == "heartbeat"]
    assert (route["group_interval"], route["repeat_interval"]) == ("1m", "1m")


@pytest.mark.parametrize(
    ("receivers", "blocker"),
    [
        ({"urgent": {}}, "monitoring_receivers: found urgent; allowed: page, ticket, heartbeat"),
        (
            {"page": {"pager": [KEY]}},
            "monitoring_receivers.page: found pager; allowed: pagerduty, slack",
        ),
        ({"page": {"pagerduty": KEY}}, "page.pagerduty: found no list, or an empty one; allowed"),
    ],
)
def test_invalid_receivers_are_refused(receivers, blocker):
    with pytest.raises(MonitoringError, match=blocker):
        alertmanager_config(ALERTS, receivers)


def test_file_system_of_a_container_file_is_renamed():
    jobs = {"node": {"rename": {"mountpoint": {"/etc/hostname": "/var/lib/docker"}}}}
    written = prometheus_config(jobs, [])["scrape_configs"][0]["metric_relabel_configs"]
    assert written == [
        {
            "source_labels": ["mountpoint"],
            "regex": "/etc/hostname",
            "target_label": "mountpoint",
            "replacement": "/var/lib/docker",
        }
    ]
