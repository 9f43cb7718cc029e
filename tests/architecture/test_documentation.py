"""Pages name only what exists, and everything that a site can set is in a page."""

import re
import sys
from collections.abc import Iterator

import pytest

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


def test_pages_name_only_playbooks_that_exist(repository, pages):
    playbooks = {path.split("/")[-1][:-4] for path in repository.files("playbooks/*.yml")}
    found = named(pages, r"ansible-playbook (?:-\S+ \S+ )*metal\.kafka\.(\w+)")

    assert {(page, name) for page, name in found if name not in playbooks} == set()


def test_pages_name_only_plugins_that_exist(repository, pages):
    files = repository.files("plugins/*/*.py", "plugins/filter/*.yml", "roles/*/meta/main.yml")
    known = {path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for path in files}
    known |= {path.split("/")[1] for path in files if path.startswith("roles/")}
    known |= {path.split("/")[-1][:-4] for path in repository.files("playbooks/*.yml")}
    found = named(pages, r"\bmetal\.kafka\.([a-z]\w+)")

    assert {(page, name) for page, name in found if name not in known} == set()


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
    known = set(sites_own())
    for role in roles:
        known |= set(repository.options(role))
    prefixes = "|".join(sorted(roles, key=len, reverse=True))
    found = named(pages, rf"(?<![\w./-])((?:{prefixes})_\w+)(?![\w/]|\.\w|\()", skip=EARLIER)
    allowed = known | not_variables(repository)

    assert {(page, name) for page, name in found if name not in allowed} == set()


def test_pages_name_only_alerts_that_exist(repository, pages):
    alerts = {
        name
        for path in repository.files("monitoring/alerts/*.yml")
        for name in repository.yaml(path)
    }
    linked = {
        (page, name)
        for page, text in pages.items()
        for name in re.findall(r"alerts/(\w+)\.md", text)
        if name != "index"
    }

    assert {(page, name) for page, name in linked if name not in alerts} == set()


def test_every_option_of_a_role_is_in_a_page(repository):
    page = reference("options")
    options = {name for role in repository.folders("roles/*") for name in repository.options(role)}

    assert {name for name in options | set(sites_own()) if f"`{name}`" not in page} == set()


def test_every_verb_has_a_page(repository):
    targets = re.findall(r"^([a-z-]+):.*## ", repository.text("Makefile"), re.MULTILINE)
    operators = repository.text("Makefile").partition("##@ For contributors")[0]
    verbs = {name for name in targets if re.search(rf"^{name}:", operators, re.MULTILINE)} - {
        "test"
    }
    pages = {path.split("/")[-1][:-3] for path in repository.files("docs/operate/verbs/*.md")}

    assert verbs - pages == set()


def test_every_kind_of_service_alert_and_metric_is_in_the_reference(repository):
    services, alerts, metrics = map(reference, ("services", "alerts", "metrics"))

    for path in repository.files("roles/*/meta/services/*.yml"):
        assert f"\n## {repository.yaml(path)['kind']}\n" in services
    for path in repository.files("monitoring/alerts/*.yml"):
        assert all(f"[{name}](" in alerts for name in repository.yaml(path))
    for entries in repository.yaml("monitoring/series.yml").values():
        assert all(f"`{name}`" in metrics for name in entries)


def test_the_readme_is_short(repository):
    assert len(repository.lines("README.md")) <= 120


def reference(name: str) -> str:
    """A generated page."""
    from pathlib import Path

    root = Path(__file__).resolve().parents[2]
    sys.path.insert(0, str(root / "scripts"))
    try:
        module = __import__(f"reference.{name.replace('-', '_')}", fromlist=["page"])
    finally:
        sys.path.pop(0)
    return module.page(root)


def sites_own() -> dict[str, str]:
    """Variables that belong to the whole site."""
    from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_variables import (
        SITE_VARIABLES,
    )

    return dict(SITE_VARIABLES)


def not_variables(repository) -> set[str]:
    """Names with the prefix of a role that are no variables: plugins, checks, metrics, files."""
    from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import CHECKS

    # A folder of Ansible's inventories, a key of pipelines, a function of Spark.
    names = {"host_vars", "spark_options", "spark_partition_id"}
    names |= {each.__name__ for each in CHECKS}
    # `make drill D=NAME`.
    drills = repository.files("molecule/*/tests/test_*.py", "molecule/*/drills/test_*.py")
    names |= {path.split("/test_")[-1][:-3] for path in drills}
    names |= {
        path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for path in repository.files("plugins/**/*.*")
    }
    names |= {path.split("/")[-1][:-4] for path in repository.files("roles/*/meta/services/*.yml")}
    names |= {
        path.split("/")[-1][:-4]
        for path in repository.files("playbooks/*.yml", "roles/*/tasks/*.yml")
    }
    for entries in repository.yaml("monitoring/series.yml").values():
        names |= set(entries)
    return names


def test_every_renamed_variable_has_a_new_name_and_is_in_the_page_of_the_release(repository):
    renamed = repository.yaml("meta/renamed_variables.yml")
    known = {name for role in repository.folders("roles/*") for name in repository.options(role)}
    known |= set(sites_own())
    page = repository.text("docs/start/from-0.1.md")

    assert {old for old, new in renamed.items() if re.match(r"\w+", new)[0] not in known} == set()
    assert set(renamed) & known == set()
    assert {old for old in renamed if f"`{old}`" not in page} == set()
