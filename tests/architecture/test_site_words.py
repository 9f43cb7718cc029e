"""What a site may say in its inventory is not said in a place that wins over the inventory."""

import re
from pathlib import Path

from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_model import SITE_VARIABLES

ROOT = Path(__file__).parents[2]
SECURITY = {
    f"security_{word}"
    for word in ("closing", "door_step", "mode", "store", "super_users", "warn_days")
}


def test_group_variables_of_playbooks_leave_the_words_of_a_site_to_its_inventory():
    # They win over an inventory's group_vars/all.
    said = {
        name
        for file in (ROOT / "playbooks/group_vars/all").glob("*.yml")
        for name in re.findall(r"^([a-z]\w*):", file.read_text(encoding="utf-8"), re.MULTILINE)
    }

    assert said
    assert not said & (set(SITE_VARIABLES) | SECURITY)


def test_group_variables_of_playbooks_read_what_the_site_has_not_said_by_its_default():
    bare = [
        f"{file.name}: {line.strip()}"
        for file in (ROOT / "playbooks/group_vars/all").glob("*.yml")
        for line in file.read_text(encoding="utf-8").splitlines()
        for word in SECURITY
        if re.search(rf"(?<![.\w]){word}\b(?! *\| *default)", line.partition("#")[0])
    ]

    assert not bare
