"""The table of checks: complete, documented, and each check finds its planted fault."""

import functools
import importlib
import re
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.check_table import TABLE
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import CHECKS
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.problem_report import report
from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_variables import SITE_VARIABLES
from preflight_sites import ValidSite, inside, problems, put, put_everywhere, validated

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs/operate/verbs/preflight.md"
NAMES = [each.__name__ for each in CHECKS]


@functools.cache
def planted():
    """By check, the kinds of problems (fatal, note) that it yields for all planted faults."""
    found: dict[str, set[str]] = {}
    for path in sorted(HERE.glob("test_preflight*.py")):
        if path.stem == Path(__file__).stem:
            continue
        module = importlib.import_module(path.stem)
        for table in (getattr(module, "FAULTS", {}), getattr(module, "NOTES", {})):
            for plant, _ in table.values():
                site = ValidSite()
                plant(site)
                for problem in validated(site):
                    kind = "fatal" if problem.fatal else "note"
                    found.setdefault(problem.check, set()).add(kind)
    return found


def test_there_are_at_least_forty_checks_with_unique_names():
    assert len(CHECKS) >= 40
    assert len(set(NAMES)) == len(NAMES)


def test_every_check_finds_a_planted_fault():
    # Other tests plant missing facts, by leaving them out.
    assert set(NAMES) - set(planted()) - {"missing_facts"} == set()


def rows():
    """Cells of the document's table of checks, by name of the check."""
    lines = DOCUMENT.read_text().splitlines()
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:3] == "| `"]
    return {row[0].strip("`"): row[1:] for row in cells if len(row) == 5}


def test_document_lists_every_check_in_order_with_its_docstring():
    assert list(rows()) == NAMES
    for each in CHECKS:
        assert rows()[each.__name__][0] == each.__doc__.splitlines()[0].rstrip("."), each.__name__


def test_document_states_whether_a_check_is_fatal():
    found = planted()
    for name, (_, kind, *_) in rows().items():
        kinds = found.get(name, {"note"})
        assert kinds <= set(kind.split(", ")), name
        assert kind in ("fatal", "note", "fatal, note"), name


def test_document_states_whether_a_check_can_be_accepted():
    texts = {each.name: "yes" if each.acceptable else "no" for each in TABLE}
    for name, (_, kind, accept, _) in rows().items():
        assert accept == ("\N{EN DASH}" if kind == "note" else texts[name]), name


def test_limits_in_the_document_are_existing_variables():
    limits = {v for *_, limit in rows().values() for v in re.findall(r"`(preflight_\w+)`", limit)}
    known = {v for v in SITE_VARIABLES if v.startswith("preflight_")}
    assert limits <= known
    assert known - limits == set()


def test_accepted_problem_is_a_note_marked_as_accepted():
    site = ValidSite()
    inside("engine", protections=["rootless"])(site)
    assert len(problems(site)) == 1
    site.hosts["m2"]["metal_preflight_accept"] = ["rootless"]
    assert problems(site) == []
    result = report(validated(site), len(CHECKS), 3)
    assert result["notes"][0].startswith("accepted: m2: engine: found a rootless engine; allowed:")
    assert result["notes"][0].endswith("[rootless]")
    assert result["summary"].endswith("on 3 machines: no problems, 1 accepted, no notes")
    assert result["brief"] == f"{result['summary']} (make preflight)"


def test_acceptance_applies_only_to_the_accepting_host():
    site = ValidSite()
    inside("engine", protections=["rootless"])(site)
    site.hosts["m1"]["metal_preflight_accept"] = ["rootless"]
    assert len(problems(site)) == 1


def test_problem_of_the_site_is_accepted_by_any_host():
    site = ValidSite()
    site.groups["zookeeper"] = ["zk1", "zk2"]
    assert len(problems(site)) == 1
    site.hosts["kafka1"]["metal_preflight_accept"] = "ensemble_size, root_disk"
    assert problems(site) == []


def test_unknown_accepted_name_is_refused():
    site = ValidSite()
    put("m2", "metal_preflight_accept", ["rootles", "all"])(site)
    inside("engine", protections=["rootless"])(site)
    found = problems(site)
    assert len(found) == 3
    assert "m2: metal_preflight_accept: found 'rootles'; allowed: rootless (did you" in found[1]
    assert "found 'all'" in found[2]


@pytest.mark.parametrize(
    ("fatal", "summary"),
    [
        ([], "preflight: 67 checks on 1 machine: no problems, no notes"),
        (["x"], "preflight: 67 checks on 1 machine: 1 problem, no notes"),
    ],
)
def test_summary_counts_checks_machines_and_problems(fatal, summary):
    site = ValidSite()
    inside("engine", protections=["rootless"])(site)
    found = validated(site) if fatal else []
    assert report(found, 67, 1)["summary"] == summary


def test_summary_without_machines_says_that_only_declarations_were_checked():
    found = report([], 67, 0)
    assert found["summary"] == "preflight: 67 checks of declarations: no problems, no notes"
    assert found["brief"] == found["summary"]


def refusal(site):
    return report(validated(site), 67, 3, "inventories/mine")["refusal"].splitlines()


def test_refusal_numbers_problems_and_names_the_accept_variable():
    site = ValidSite()
    inside("engine", protections=["rootless"])(site)
    lines = refusal(site)
    assert lines[0] == "Nothing was touched: 1 problem(s) in inventories/mine"
    assert lines[1].startswith("1. m2: engine: found a rootless engine")
    assert lines[2:] == [
        "If it is right for this site, accept it in metal_preflight_accept: rootless"
    ]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("kafka_content_topics", {"payments": {"retension": "7d"}}),
        ("kafka_broker_hepa", "4g"),
        ("image_versions", {"kafka": "3.9.99"}),
    ],
)
def test_errors_of_declarations_cannot_be_accepted(variable, value):
    site = ValidSite()
    put_everywhere(variable, value)(site)
    lines = refusal(site)
    assert len(lines) > 1
    assert "metal_preflight_accept" not in str(lines)
    check = validated(site)[0].check
    put_everywhere("metal_preflight_accept", [check])(site)

    found = refusal(site)

    assert lines[1] in found
    assert found[-1].startswith(
        f"{len(lines)}. all: metal_preflight_accept: found '{check}', whose problems are errors of "
        "declarations; allowed: a correct declaration; docs/operate/verbs/preflight.md marks the "
        "checks that can be accepted"
    )


def place_of_the_problem(site):
    (found,) = [each for each in validated(site) if each.fatal and "zookeper" in each.found]
    return found.host


def test_a_problem_of_a_shared_variable_names_where_its_value_applies():
    uids = {"zookeper": 10001}
    site = ValidSite()
    put_everywhere("service_uids", uids)(site)
    assert place_of_the_problem(site) == "all"
    site.hosts["master1"]["service_uids"] = {}
    # A parent of the groups of Spark without the master, and a smaller group.
    site.groups |= {
        "data": ["zk1", "zk2", "zk3", "kafka1", "kafka2", "kafka3", "m1"],
        "few": ["m1"],
    }
    assert place_of_the_problem(site) == "data"
    for host in set(site.hosts) - {"m1"}:
        site.hosts[host]["service_uids"] = {}
    site.groups["few"].append("m2")
    assert place_of_the_problem(site) == "m1"


def test_a_problem_is_accepted_by_the_host_on_which_it_was_found():
    site = ValidSite()
    put_everywhere("service_uids", {"zookeper": 10001})(site)
    site.hosts["kafka3"]["metal_preflight_accept"] = ["users"]
    assert len(problems(site)) == 1
    put_everywhere("metal_preflight_accept", ["users"])(site)
    assert problems(site) == []
    assert "accepted: all: service_uids: " in str(report(validated(site), 67, 3)["notes"])


def test_a_problem_of_a_machine_names_the_machine():
    site = ValidSite()
    put_everywhere("preflight_free_data", "100t")(site)
    assert {each.split(":")[0] for each in problems(site)} >= {"kafka1", "kafka2", "kafka3"}
