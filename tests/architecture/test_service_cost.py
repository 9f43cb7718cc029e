"""A kind of service is named in its own files, and in few others.

Measured with Schema Registry, the first service that was added to this structure.
"""

import re

# Its own: role, image, monitoring and documentation, and what Ansible loads from directories of
# the collection only: playbooks of its verbs, its module, and the facts that its clients need.
OWN = (
    "roles/schema_registry/",
    "images/",
    "monitoring/",
    "docs/",
    "playbooks/internal_schemas.yml",
    "playbooks/schemas_backup.yml",
    "playbooks/schemas_restore.yml",
    "plugins/modules/schema_backup_info.py",
    "plugins/plugin_utils/_site/schema_registry.py",
)
# Pipelines and clients that read records with schemas.
READERS = (
    *("client/", "declarations/", "spark/", "roles/pipeline/"),
    *("plugins/filter/pipeline.py", "plugins/filter/registry_"),
    "plugins/plugin_utils/_preflight/check_pipelines.py",
)
# Of any service, of inventories, rendered from inventories, and versions.
OTHERS = (
    "tests/",
    "watch/tests/",
    "molecule/",
    "inventories/",
    "changelogs/",
    "compose/",
    "CHANGELOG.rst",
)
VERSIONS = ("versions.yml", "uv.lock", "pyproject.toml", "README.md")
# Lists of services and of verbs.
SHARED = {
    "Makefile",
    "playbooks/internal_gated_services.yml",
    "playbooks/internal_stop_services.yml",
    "plugins/plugin_utils/_site/facts.py",
    "scripts/verbs/table.py",
}
NAME = re.compile(r"schema.?registry|apicurio|schemas_(?:backup|restore)", re.IGNORECASE)


def test_a_service_is_named_in_at_most_five_shared_files(repository):
    named = {
        path
        for path in repository.files("**")
        if not path.startswith((*OWN, *READERS, *OTHERS, *VERSIONS))
        and NAME.search(repository.text(path))
    }
    assert named == SHARED
    assert len(SHARED) <= 5
