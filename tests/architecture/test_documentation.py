"""Pages name only what exists, and everything that a site can set is in a page."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_series,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import CHECKS
from ansible_collections.metal.kafka.plugins.plugin_utils._site.facts import NAMES
from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_variables import SITE_VARIABLES

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from reference import alerts, metrics, options, services

PAGES = ("docs/**/*.md", "README.md", "CONTRIBUTING.md")
# Reports that `make bench` writes.
REPORTS = re.compile(r"docs/benchmark/")
# Inline code, and lines of code blocks.
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
BLOCK = re.compile(r"^```(?!mermaid|\{)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
FOLDERS = (
    "bench", "client", "compose", "dashboards", "declarations", "docs", "images", "inventories",
    "molecule", "monitoring", "playbooks", "plugins", "reconciliation", "roles", "scripts", "spark",
    "tests", "watch",
)  # fmt: skip
# A path in the repository; words in capitals stand for a name that the reader chooses.
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./*-]+")
# Names of variables that a page explains as names of earlier releases.
EARLIER = ("docs/start/from-0.1.md",)


@pytest.fixture(scope="module")
def pages(repository) -> dict[str, str]:
    return {
        path: repository.text(path) for path in repository.files(*PAGES) if not REPORTS.match(path)
    }


def code(text: str) -> Iterator[str]:
    """Everything on a page that is set as code, line by line."""
    for block in BLOCK.findall(text):
        yield from block.splitlines()
    yield from INLINE.findall(BLOCK.sub("", text))


def named(
    pages: dict[str, str], pattern: str, *, skip: tuple[str, ...] = ()
) -> set[tuple[str, str]]:
    """Page and name of each match in code."""
    return {
        (page, match)
        for page, text in pages.items()
        if page not in skip
        for line in code(text)
        for match in re.findall(pattern, line)
        # A word in capitals stands for a name that the reader chooses.
        if not match.isupper()
    }


def test_pages_name_only_make_targets_that_exist(repository, pages):
    targets = set(re.findall(r"^([a-z][a-z-]*):", repository.text("Makefile"), re.MULTILINE))
    found = named(pages, r"(?:^|\$ |[;&|(] ?)make ([a-z][a-z-]*)", skip=EARLIER)

    assert found
    assert {(page, name) for page, name in found if name not in targets} == set()


def test_pages_name_only_variables_of_make_that_exist(repository, pages):
    """Make accepts any variable; the text of `make help` has those that a verb reads."""
    known = set(re.findall(r"\b([A-Z]+)=", repository.text("Makefile")))
    found = {
        (page, name)
        for page, text in pages.items()
        for line in code(text)
        for command in re.findall(r"(?:^|\$ |[;&|(] ?)make [a-z][^;|]*", line)
        for name in re.findall(r" ([A-Z]+)=", command)
    }

    assert found
    assert {(page, name) for page, name in found if name not in known} == set()


def test_pages_name_only_playbooks_that_exist(repository, pages):
    playbooks = stems(repository, "playbooks/*.yml")
    found = named(pages, r"ansible-playbook (?:-\S+ \S+ )*metal\.kafka\.(\w+)")

    assert {(page, name) for page, name in found if name not in playbooks} == set()


def test_pages_name_only_plugins_that_exist(repository, pages):
    known = stems(repository, "plugins/*/*.py", "plugins/filter/*.yml", "playbooks/*.yml")
    known |= set(repository.folders("roles/*"))
    found = named(pages, r"\bmetal\.kafka\.([a-z]\w+)")

    assert {(page, name) for page, name in found if name not in known} == set()


def test_pages_name_only_facts_of_the_site_that_exist(pages):
    term = r"metal\.kafka\.site['\"], ['\"]([a-z_.]+)"
    found = {(page, name) for page, text in pages.items() for name in re.findall(term, text)}

    assert {(page, name) for page, name in found if name not in NAMES} == set()
    assert found


def test_pages_name_only_files_that_exist(repository, pages):
    missing = set()
    for page, path in named(pages, rf"(?<![\w/.-])({PATH.pattern})", skip=EARLIER):
        pattern = re.sub(r"[A-Z]{2,}[A-Z_]*", "*", path.rstrip("/.,:"))
        # A site's own inventory, and state directories, which runs write.
        if "inventories/mine" in path or "/.kafka-metal/" in path:
            continue
        if any(repository.root.glob(pattern)):
            continue
        missing.add((page, path))

    assert missing == set()


def test_pages_name_only_variables_that_exist(repository, pages):
    roles = repository.folders("roles/*")
    known = set(SITE_VARIABLES)
    for role in roles:
        known |= set(repository.options(role))
    prefixes = "|".join(sorted(roles, key=len, reverse=True))
    found = named(pages, rf"(?<![\w./-])((?:{prefixes})_\w+)(?![\w/]|\.\w|\()", skip=EARLIER)
    allowed = known | not_variables(repository)

    assert {(page, name) for page, name in found if name not in allowed} == set()


def test_pages_name_only_alerts_that_exist(repository, pages):
    files = repository.files("monitoring/alerts/*.yml")
    declared = {name for path in files for name in repository.yaml(path)}
    linked = {
        (page, name)
        for page, text in pages.items()
        for name in re.findall(r"alerts/(\w+)\.md", text)
        if name != "index"
    }

    assert {(page, name) for page, name in linked if name not in declared} == set()


def test_every_option_of_a_role_is_in_a_page(repository):
    page = options.page()
    known = {name for role in repository.folders("roles/*") for name in repository.options(role)}

    assert {name for name in known | set(SITE_VARIABLES) if f"`{name}`" not in page} == set()


def test_every_verb_has_a_page(repository):
    targets = re.findall(r"^([a-z-]+):.*## ", repository.text("Makefile"), re.MULTILINE)
    operators = repository.text("Makefile").partition("##@ For contributors")[0]
    verbs = {name for name in targets if re.search(rf"^{name}:", operators, re.MULTILINE)} - {
        "test"
    }

    assert verbs - stems(repository, "docs/operate/verbs/*.md") == set()


def test_every_kind_of_service_alert_and_metric_is_in_the_reference(repository):
    page = services.page()
    for path in repository.files("roles/*/meta/services/*.yml"):
        assert f"\n## {repository.yaml(path)['kind']}\n" in page
    page = alerts.page()
    for path in repository.files("monitoring/alerts/*.yml"):
        assert all(f"[{name}](" in page for name in repository.yaml(path))
    page = metrics.page()
    for entries in read_series().values():
        assert all(f"`{name}`" in page for name in entries)


def test_the_readme_is_short(repository):
    assert len(repository.lines("README.md")) <= 120


def stems(repository, *patterns: str) -> set[str]:
    """Names of files without folder and ending."""
    return {PurePath(path).stem for path in repository.files(*patterns)}


def not_variables(repository) -> set[str]:
    """Names with the prefix of a role that are no variables: plugins, checks, metrics, files."""
    # A folder of Ansible's inventories, a key of pipelines, a function of Spark.
    names = {"host_vars", "spark_options", "spark_partition_id"}
    names |= {each.__name__ for each in CHECKS}
    # `make drill D=NAME`.
    drills = stems(repository, "molecule/*/tests/test_*.py", "molecule/*/drills/test_*.py")
    names |= {name.removeprefix("test_") for name in drills}
    names |= stems(repository, "plugins/**/*.*", "playbooks/*.yml", "roles/*/tasks/*.yml")
    names |= stems(repository, "roles/*/meta/services/*.yml")
    for entries in read_series().values():
        names |= set(entries)
    return names


def test_every_renamed_variable_has_a_new_name_and_is_in_the_page_of_the_release(repository):
    renamed = repository.yaml("meta/renamed_variables.yml")
    known = {name for role in repository.folders("roles/*") for name in repository.options(role)}
    known |= set(SITE_VARIABLES)
    page = repository.text("docs/start/from-0.1.md")

    assert {old for old, new in renamed.items() if re.match(r"\w+", new)[0] not in known} == set()
    assert set(renamed) & known == set()
    assert {old for old in renamed if f"`{old}`" not in page} == set()
