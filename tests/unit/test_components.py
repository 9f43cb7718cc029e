import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images import components, licences
from ansible_collections.metal.kafka.plugins.plugin_utils._images.components import (
    Component,
    ComponentData,
)

SUM = "0" * 64
LISTED = "1" * 64
CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"


@pytest.fixture
def known(tmp_path):
    (tmp_path / "images/kafka").mkdir(parents=True)
    (tmp_path / "images/licences.yml").write_text(
        "jars:\n  slf4j-*: {licence: MIT}\n"
        "  kafka-metal-*: {group: metal.kafka, licence: Apache-2.0}\n"
        "  rocksdbjni-*: {group: org.rocksdb, licence: Apache-2.0 OR GPL-2.0-only}\n"
        "packages: {python3*: PSF-2.0}\n"
    )
    (tmp_path / "images/kafka/licences.yml").write_text("b.c-*: {licence: CPL-1.0}\n")
    (tmp_path / "images/kafka/checksums.sha256").write_text(
        f"{LISTED}  io/prometheus/jmx/agent/1.0.1/agent-1.0.1.jar\n{SUM}  a/b/1/b-1.pom\n"
    )
    return ComponentData(tmp_path, "0.1.0")


@pytest.mark.parametrize(
    ("file", "sum_", "poms", "title", "version"),
    [
        # By checksum, whatever the file name is.
        ("agent.jar", LISTED, [["x", "y", "1"]], "io.prometheus.jmx:agent", "1.0.1"),
        # By its own POM.
        ("own-1.2-linux.jar", SUM, [["b", "c", "1"], ["a", "own", "1.2"]], "a:own", "1.2"),
        # Of a Quarkus application.
        ("a.b.c-d-1.0-x86.jar", SUM, [["a.b", "c-d", "1.0"]], "a.b:c-d", "1.0"),
        ("a.b.c-1.jar", SUM, [["b", "c", "1"]], "a.b.c", "1"),
        # By its name, with the group in images/licences.yml.
        ("rocksdbjni-9.8.4.jar", SUM, [], "org.rocksdb:rocksdbjni", "9.8.4"),
        ("zstd-jni-1.5.7-7.jar", SUM, [], "zstd-jni", "1.5.7-7"),
        ("kafka-metal-json.jar", SUM, [], "metal.kafka:kafka-metal-json", "0.1.0"),
        ("other.jar", SUM, [], "other", ""),
    ],
)
def test_coordinates_of_a_jar(known, file, sum_, poms, title, version):
    found = {"kind": "jar", "file": file, "sha256": sum_, "poms": poms, "licences": []}
    component = known.component(found)
    assert (component.title, component.version) == (title, version)


def test_recorded_licence_of_a_jar_takes_precedence(known):
    found = {"kind": "jar", "file": "slf4j-api-1.jar", "sha256": SUM, "poms": []}
    assert known.component({**found, "licences": ["Other"]}).licences == ("MIT",)


def test_an_image_has_licences_of_its_own_jars(known):
    found = {"kind": "jar", "file": "b.c-1.jar", "sha256": SUM, "poms": [], "licences": []}
    assert known.component(found).licences == ("CPL-1.0",)


@pytest.mark.parametrize(
    ("name", "recorded", "licences_"),
    [
        ("python3.13", [], ("PSF-2.0",)),
        ("python3.13", ["Other"], ("Other",)),
        ("libc6", [], ()),
    ],
)
def test_package_without_a_machine_readable_licence(known, name, recorded, licences_):
    found = {"kind": "deb", "name": name, "version": "1", "licences": recorded}
    assert known.component(found).licences == licences_


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("The Apache Software License, Version 2.0", "Apache-2.0"),
        ("https://www.apache.org/licenses/LICENSE-2.0.txt", "Apache-2.0"),
        ("Apache License, 2.0", "Apache-2.0"),
        ("Apache 2", "Apache-2.0"),
        ("Apache-1.1", "Apache-1.1"),
        ("Expat", "MIT"),
        ("http://www.opensource.org/licenses/mit-license.php", "MIT"),
        ("MIT-0", "MIT-0"),
        ("GPL-2+", "GPL-2.0-or-later"),
        ("GPLv3", "GPL-3.0-only"),
        ("LGPL-2.1+", "LGPL-2.1-or-later"),
        ("GPL-2.0-only", "GPL-2.0-only"),
        ("GPL", "GPL"),
        ("GPL-1+ or Artistic", "GPL-1.0-or-later OR Artistic-1.0-Perl"),
        ("Apache-2.0 AND BSD-2-Clause", "Apache-2.0 AND BSD-2-Clause"),
        ("GPL2 w/ CPE", CLASSPATH),
        (CLASSPATH, CLASSPATH),
        (f"CDDL-1.1 OR {CLASSPATH}", f"CDDL-1.1 OR {CLASSPATH}"),
        ("GPL-3+ with Bison exception", "GPL-3+ with Bison exception"),
        ("New BSD License", "BSD-3-Clause"),
        ("0BSD", "0BSD"),
        ("https://projects.eclipse.org/license/secondary-gpl-2.0-cp", CLASSPATH),
        ("Eclipse Public License - v 2.0", "EPL-2.0"),
        ("https://github.com/locationtech/jts/blob/master/LICENSE_EPLv2.txt", "EPL-2.0"),
        ("https://github.com/locationtech/jts/blob/master/LICENSE_EDLv1.txt", "BSD-3-Clause"),
        ("https://repository.jboss.org/licenses/apache-2.0.txt", "Apache-2.0"),
        ("https://www.antlr.org/license.html", "BSD-3-Clause"),
        ("Public Domain, per Creative Commons CC0", "CC0-1.0"),
        ("Something of our own", "Something of our own"),
    ],
)
def test_names_of_licences(written, name):
    assert licences.spdx_name(written) == name


def component(name, place, *names):
    return Component("jar", name, "1", "g", licences=names, places=(place,))


def test_a_component_of_several_images_is_listed_once():
    both = [component("a", "kafka", "MIT"), component("b", "kafka")]
    merged = components.merge([both, [component("a", "spark", "MIT")]])
    assert [(each.name, each.places) for each in merged] == [
        ("a", ("kafka", "spark")),
        ("b", ("kafka",)),
    ]


def test_table_lists_components_with_unknown_licence():
    rows = [
        Component("jar", "a", "1", "g", licences=("MIT", "ISC"), places=("kafka", "spark")),
        Component("deb", "b", "2", places=("kafka",)),
    ]
    assert components.table(rows, 2).splitlines() == [
        "kind  component  version  licence         where",
        "jar   g:a        1        MIT and 1 more  all images",
        "deb   b          2        unknown         kafka",
        "",
        "components by licence:",
        "    1  MIT",
        "    1  unknown",
        "",
        "licence unknown: b 2",
    ]


def test_control_node_lists_packages_of_ansible():
    found = {each.name.lower(): each for each in components.control_node_components()}
    assert found["ansible-core"].licences == ("GPL-3.0-or-later",)
    assert all(each.version for each in found.values())
