"""promtool evaluates our rules: alerts fire in time, and do not fire when they should not."""

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue.reading import catalogue
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import parse_alerts
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
    read_jobs,
    read_records,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.prometheus import (
    duration_seconds,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import rule_document
from promtool_files import (
    moments,
    needed,
    of_case,
    of_scenario,
    read_cases,
    read_scenarios,
    seconds,
)

ALERTS = {alert.name: alert for alert in parse_alerts(read_alerts())}
DOCUMENT = rule_document(ALERTS.values(), read_records())


# Scrape jobs of the services in the catalogue.
JOBS = sorted({kind.job for kind in catalogue() if kind.job})
# Alerts about services that do not serve; all others have TargetDown.
OWN_ALERTS = {"kafka": "BrokerDown", "probe": "ProbeDown", "zookeeper": "ZooKeeperServerDown"}
# A process that serves for 10 s of every 16 s. The loop begins and ends just after a scrape.
LOOP_BEGINS_S, LOOP_ENDS_S = 226, 721
LOOP_S, SERVES_S = 16, 10
LONG_CASES_S = 5400


def write(folder, name, alerts, tests, every="5s"):
    """Write the rules of some alerts and their tests for promtool; return the name of the file.

    ``every``: evaluation interval, because promtool ignores the interval in the rule file.
    """
    (folder / f"rules-{name}.yml").write_text(yaml.safe_dump(needed(DOCUMENT, alerts)))
    content = {"rule_files": [f"rules-{name}.yml"], "evaluation_interval": every, "tests": tests}
    (folder / f"tests-{name}.yml").write_text(yaml.safe_dump(content))
    return f"tests-{name}.yml"


def duration_of(cases):
    """Return the seconds that promtool evaluates for the cases of an alert."""
    return sum(max(map(seconds, moments(case))) for case in cases)


def test_promtool_accepts_rules_and_their_templates(folder, promtool):
    (folder / "rules.yml").write_text(yaml.safe_dump(DOCUMENT))
    done = promtool("check", "rules", "rules.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(ALERTS) + len(read_records())} rules found" in done.stdout


def test_every_alert_passes_its_cases(folder, promtool):
    files = []
    for name, cases in read_cases().items():
        tests = [of_case(ALERTS[name], case) for case in cases]
        # Prometheus evaluates every 5 s, as most cases do; cases of hours take minutes with it.
        every = "15s" if duration_of(cases) > LONG_CASES_S else "5s"
        files.append(write(folder, name, [name], tests, every))
    done = promtool("test", "rules", *files)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda each: each["name"])
def test_no_alert_fires_during_ordinary_events(scenario, folder, promtool):
    file = write(folder, "all", ALERTS, [of_scenario(ALERTS.values(), scenario)], "15s")
    done = promtool("test", "rules", file)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


def test_a_case_with_a_wrong_expectation_fails(folder, promtool):
    case = {
        "name": "an offline partition without an alert",
        "series": {'kafka_controller_offline_partitions{cluster="a"}': "3x20"},
        "at": {"2m": []},
    }
    name = "PartitionsOffline"
    file = write(folder, name, [name], [of_case(ALERTS[name], case)])
    assert promtool("test", "rules", file).returncode != 0


def loop(phase, interval):
    """Return `up`, start time and state of a broker in a crash loop, as Prometheus scrapes them."""
    up, start, state = [], [], []
    for now in range(0, LOOP_ENDS_S + 300, interval):
        since = (now - LOOP_BEGINS_S + phase) % LOOP_S
        looping = LOOP_BEGINS_S <= now < LOOP_ENDS_S
        fails = looping and since >= SERVES_S
        started = now - since if looping else LOOP_ENDS_S * (now >= LOOP_ENDS_S)
        up.append("0" if fails else "1")
        start.append("stale" if fails else str(1000 + started))
        state.append("stale" if fails else "1" if looping else "3")
    return " ".join(up), " ".join(start), " ".join(state)


@pytest.mark.parametrize("job", JOBS)
def test_a_crash_loop_fires_within_90_s_and_ends_within_60_s(job, folder, promtool):
    name = OWN_ALERTS.get(job, "TargetDown")
    interval = duration_seconds(read_jobs()[job]["interval"])
    labels = {"job": job, "cluster": "a", "host": "m1", "instance": "i1"}
    cases = []
    for phase in range(0, LOOP_S, 2):
        up, start, state = loop(phase, interval)
        written = ",".join(f'{key}="{value}"' for key, value in labels.items())
        case = {
            "name": f"a crash loop of job {job}, phase {phase}",
            "interval": f"{interval}s",
            "series": {
                'up{job="node",cluster="a",host="m1",instance="m1"}': "1x300",
                # A ZooKeeper ensemble keeps its quorum.
                f'up{{job="{job}",cluster="a",host="m2",instance="i2"}}': "1x300",
                f'up{{job="{job}",cluster="a",host="m3",instance="i3"}}': "1x300",
                f"up{{{written}}}": up,
                f"process_start_time_seconds{{{written}}}": start,
                **({f"kafka_server_broker_state{{{written}}}": state} if job == "kafka" else {}),
            },
            "at": {f"{LOOP_BEGINS_S}s": []}
            | {f"{now}s": [labels] for now in range(LOOP_BEGINS_S + 90, LOOP_ENDS_S, 10)}
            | {f"{LOOP_ENDS_S + 60}s": []},
        }
        cases.append(of_case(ALERTS[name], case))
    file = write(folder, name, [name], cases)
    done = promtool("test", "rules", file)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
