"""Python knows kinds of services from the catalogue: a new one is no edit there."""

import ast

from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES

# Who names kinds all the same, and why.
EXCEPTIONS = {
    "plugins/filter/kafka_broker.py": "rows of brokers in the status screen",
    "plugins/filter/status.py": "rows of pipelines in the status screen",
    "plugins/filter/watching.py": "the row of Prometheus in the status screen",
    "plugins/filter/zookeeper.py": "rows of its servers in the status screen",
    "plugins/module_utils/_kafka/client.py": "the log of a package of Python",
    "plugins/plugin_utils/_site/inventory.py": "a metadata mode",
    "plugins/plugin_utils/_site/kafka.py": "what others know of brokers",
    "plugins/plugin_utils/_site/kafka_secrets.py": "names of certificates",
    "plugins/plugin_utils/_site/metadata_services.py": "the size of an ensemble",
    "plugins/plugin_utils/_site/monitoring.py": "where drivers answer",
    "plugins/plugin_utils/_site/service_catalogue.py": "checks of one kind alone",
    "plugins/plugin_utils/_site/spark.py": "what its parts know of each other",
    "plugins/plugin_utils/_site/zookeeper.py": "what others know of the ensemble",
}


def named(repository, path):
    """Kinds whose name is a text in a file."""
    nodes = ast.walk(ast.parse(repository.text(path)))
    found = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return found & {each.kind for each in SERVICES}


def test_no_kind_is_named_outside_of_the_catalogue(repository):
    files = repository.files("plugins/**/*.py")
    assert len(files) > 200
    found = {path: kinds for path in files if (kinds := named(repository, path))}
    assert {path: kinds for path, kinds in found.items() if path not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() - found.keys() == set()


def test_no_program_of_monitoring_is_named(repository):
    """But in the row of the status screen."""
    programs = {each.kind for each in SERVICES if each.role == "monitoring"}
    files = repository.files("plugins/**/*.py")
    assert [p for p in files if named(repository, p) & programs] == ["plugins/filter/watching.py"]
