"""Alerts query only series of the catalogue, and the catalogue matches the exporters."""

import re
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import (
    MonitoringError,
    parse_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.metrics_catalogue import (
    UNITS,
    parse_series,
    queryable_names,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
    read_records,
    read_series,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.promql import series_names
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import (
    MAINTENANCE,
    expression,
)

ROOT = Path(__file__).resolve().parents[2]
SERIES = parse_series(read_series())
RECORDS = read_records()
KNOWN = queryable_names(SERIES.values()) | set(RECORDS)
# Names of other projects, which do not follow the conventions.
FOREIGN = ("ALERTS", "node_", "jvm_", "process_", "prometheus_", "alertmanager_", "scrape_", "up")


@pytest.mark.parametrize(
    ("expr", "names"),
    [
        ("up == 0", {"up"}),
        ("sum by (cluster) (rate(a_total[5m])) > 0.1", {"a_total"}),
        ('a{b="c > d", e=~"f|g"} unless on (h) i:j', {"a", "i:j"}),
        ("a / on (b) group_left (c) d", {"a", "d"}),
        ("histogram_quantile(0.99, sum by (le) (rate(a_bucket[1m])))", {"a_bucket"}),
        ("a offset 10m and b > bool time()", {"a", "b"}),
        ('label_replace(a, "cluster", "$1", "b", "(.+)")', {"a"}),
        ("rate(a[$__rate_interval]) * $factor", {"a"}),
        ("a > 1e+06 or vector(1)", {"a"}),
        ("max_over_time(a[1h:1m] offset 5m)", {"a"}),
        ("sum without(instance)(a)", {"a"}),
    ],
)
def test_names_are_found_in_promql(expr, names):
    assert series_names(expr) == names


def test_alerts_query_only_series_of_the_catalogue():
    unknown = {
        alert.name: series_names(expression(alert)) - KNOWN
        for alert in parse_alerts(read_alerts())
        if series_names(expression(alert)) - KNOWN
    }
    assert unknown == {}


def test_recording_rules_read_known_series_and_are_used():
    assert {name: series_names(expr) - KNOWN for name, expr in RECORDS.items()} == {
        name: set() for name in RECORDS
    }
    read = {" ".join(how.split()).rpartition(" ")[2] for how in MAINTENANCE.values()}
    assert read <= RECORDS.keys()


def test_names_of_series_have_the_suffix_of_their_unit():
    wrong = [
        one.name
        for one in SERIES.values()
        if not one.name.startswith(FOREIGN)
        and (
            UNITS[one.unit] not in one.name
            or (one.type == "counter") != one.name.endswith("_total")
            or (one.unit == "time" and "_time_seconds" not in one.name)
        )
    ]
    assert wrong == []


def rule_names(image):
    config = yaml.safe_load((ROOT / "images" / image / "conf" / "metrics.yml").read_text())
    return config, {rule["name"]: rule for rule in config["rules"] if rule["name"]}


@pytest.mark.parametrize("job", ["kafka", "zookeeper"])
def test_agent_rules_export_exactly_the_series_of_their_job(job):
    _, rules = rule_names(job)
    own_series = {
        name: one
        for name, one in SERIES.items()
        if job in one.jobs and name.startswith(("kafka_", "zookeeper_"))
    }
    assert set(rules) == set(own_series)
    for name, rule in rules.items():
        assert rule["type"].lower() == own_series[name].type, name
        assert tuple(rule.get("labels", {})) == own_series[name].labels, name
        in_milliseconds = own_series[name].unit in ("seconds", "time")
        assert (rule.get("valueFactor") == 0.001) == in_milliseconds, name


def test_agent_rules_use_only_existing_beans():
    config, _ = rule_names("kafka")
    unwanted, *exported = (rule["pattern"] for rule in config["rules"])
    sample = "kafka.server<type=BrokerTopicMetrics, name=BytesInPerSec><>OneMinuteRate: 5"
    assert re.search(unwanted, sample)
    assert [each for each in exported if re.search(unwanted, f"{each}: <cache>")] == []


@pytest.mark.parametrize("image", ["kafka", "zookeeper"])
def test_agents_query_only_beans_with_a_rule(image):
    config, _ = rule_names(image)
    patterns = [rule["pattern"] for rule in config["rules"]]

    def attributes(text):
        return set(re.findall(r"(?:name|type)=([\w-]+)", text))

    unused = [
        bean
        for bean in config["includeObjectNames"]
        if bean.startswith("kafka.")
        and not any(
            attributes(bean) <= attributes(pattern) or ("TimeMs" in bean and "TimeMs" in pattern)
            for pattern in patterns
        )
    ]
    assert unused == []


@pytest.mark.parametrize(
    ("entry", "blocker"),
    [
        ({"type": "gauge", "unit": "count"}, "found no meaning; required: type"),
        ({"type": "number", "unit": "count", "meaning": "m"}, "type number"),
        ({"type": "gauge", "unit": "miles", "meaning": "m"}, "unit miles"),
        ({"type": "gauge", "unit": "count", "meaning": "m", "help": "h"}, "allowed: a mapping of"),
    ],
)
def test_invalid_series_is_refused_by_name(entry, blocker):
    with pytest.raises(MonitoringError, match=r"monitoring/series\.yml: kafka\.a: found") as error:
        parse_series({"kafka": {"a": entry}})
    assert blocker in str(error.value)


def test_one_name_has_one_type():
    one, other = ({"type": kind, "unit": "count", "meaning": "m"} for kind in ("gauge", "counter"))
    with pytest.raises(
        MonitoringError,
        match=r"node\.a: found type counter, unit count; required: gauge, count, as",
    ):
        parse_series({"kafka": {"a": one}, "node": {"a": other}})
