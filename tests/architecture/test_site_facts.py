"""Every fact of the lookup metal.kafka.site is read, and every fact that is read exists."""

import re

from ansible_collections.metal.kafka.plugins.plugin_utils._site.facts import NAMES

REGISTRY = "plugins/plugin_utils/_site/facts.py"
READERS = ("roles/**/*.yml", "roles/**/*.j2", "playbooks/**/*.yml", "plugins/**/*.py")
QUOTED = re.compile(r"['\"]([a-z_]+\.[a-z_]+)['\"]")
LOOKUP = re.compile(r"(?:lookup|query)\('metal\.kafka\.site',\s*'([^']+)'")


def test_every_fact_of_the_site_is_read(repository):
    texts = [repository.text(path) for path in repository.files(*READERS) if path != REGISTRY]
    read = {name for text in texts for name in QUOTED.findall(text)}

    assert sorted(set(NAMES) - read) == []


def test_every_looked_up_fact_exists(repository):
    found = {
        (path, name)
        for path in repository.files(*READERS)
        for name in LOOKUP.findall(repository.text(path))
    }

    assert len(found) > 100
    assert sorted(each for each in found if each[1] not in NAMES) == []
