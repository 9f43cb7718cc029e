import io
import tarfile
import zipfile

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers import image_contents

STATUS = """Package: libssl3
Status: install ok installed
Architecture: amd64
Version: 3.5.9-1
Description: a library
 Status: no field

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: libstdc++6
Status: install ok installed
Architecture: amd64
Version: 14.2.0-19
"""
OF_FILES = """Format: https://example.org/copyright-format/1.0/
License: no licence of files

Files: *
Copyright: First Author
License: Apache-2.0

Files: debian/*
Copyright: Second Author
License: Artistic or GPL-1+
 and its text

License: Artistic
 a text
"""
METADATA = "Metadata-Version: 2.4\nName: confluent-kafka\nVersion: 2.16.1\n"


def jar(files):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return whole.getvalue()


def stream(files, links=()):
    """The file system of an image in the format of `docker export`."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            data = content.encode() if isinstance(content, str) else content
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, target in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    whole.seek(0)
    return whole


def test_installed_packages_have_licences():
    found = image_contents.components(
        stream(
            {
                "usr/lib/os-release": 'ID=debian\nVERSION_CODENAME="trixie"\n',
                "var/lib/dpkg/status": STATUS,
                "usr/share/doc/libssl3/copyright": OF_FILES,
                "usr/share/doc/gcc-14-base/copyright": "Format: 1\n\nFiles: *\nLicense: GPL-3+\n",
            },
            [("usr/share/doc/libstdc++6", "gcc-14-base")],
        )
    )

    package = {"kind": "deb", "architecture": "amd64", "distribution": "trixie"}
    assert found == [
        {
            **package,
            "name": "libssl3",
            "version": "3.5.9-1",
            "licences": ["Apache-2.0", "Artistic or GPL-1+"],
        },
        {**package, "name": "libstdc++6", "version": "14.2.0-19", "licences": ["GPL-3+"]},
    ]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"usr/share/doc/libssl3/copyright": "A part is under /usr/share/common-licenses/GPL-2.\n"},
    ],
)
def test_package_without_machine_readable_licence_has_none(files):
    status = {"var/lib/dpkg/status": STATUS.split("\n\n")[0]}
    [found] = image_contents.components(stream(status | files))
    assert found["licences"] == []


def test_jar_is_described_by_its_own_pom():
    pom = "<project><licenses><license>\n<name>{}</name></license></licenses></project>"
    content = jar(
        {
            "META-INF/maven/org.example/own/pom.properties": "version=1.2\ngroupId=org.example\n",
            "META-INF/maven/org.example/own/pom.xml": pom.format("MIT License"),
            "META-INF/maven/org.other/packed/pom.properties": "version=9\n",
            "META-INF/maven/org.other/packed/pom.xml": pom.format("GPL"),
        }
    )

    [found] = image_contents.components(stream({"opt/kafka/libs/own-1.2.jar": content}))

    assert found["file"] == "own-1.2.jar"
    assert found["poms"] == [["org.example", "own", "1.2"], ["org.other", "packed", "9"]]
    assert found["licences"] == ["MIT License"]


def test_libraries_of_a_quarkus_application_have_the_coordinates_of_its_list():
    pom = "<project><licenses><license><name>MIT</name></license></licenses></project>"
    own = jar({"META-INF/maven/org.a/b.c/pom.xml": pom})
    found = image_contents.components(
        stream(
            {
                "opt/app/lib/main/org.a.b.c-1.0.jar": own,
                "opt/app/lib/boot/org.a.d-2-x86_64.jar": jar({}),
                "opt/app/quarkus-run.jar": jar({}),
                "opt/app/quarkus/generated-bytecode.jar": jar({}),
                "opt/app/quarkus/transformed-bytecode.jar": jar({}),
                "opt/app/quarkus-app-dependencies.txt": (
                    "org.a:b.c::jar:1.0\norg.a:d:x86_64:jar:2\n"
                ),
            }
        )
    )

    assert [(each["file"], each["poms"], each["licences"]) for each in found] == [
        ("org.a.b.c-1.0.jar", [["org.a", "b.c", "1.0"]], ["MIT"]),
        ("org.a.d-2-x86_64.jar", [["org.a", "d", "2"]], []),
    ]


@pytest.mark.parametrize(
    ("manifest", "licences"),
    [
        ("Bundle-License: http://a/LICENSE-2.0.txt\r\n", ["http://a/LICENSE-2.0.txt"]),
        (
            "Bundle-License: http://a/epl, http\r\n ://b\r\nOther: x\r\n",
            ["http://a/epl", "http://b"],
        ),
        ('Bundle-License: "Apache, 2";link="http://a"\n', ["Apache, 2"]),
        ("Bundle-License: http://a;description=BSD\n", ["http://a"]),
        ("Bundle-License: Apache License, Version 2.0\n", ["Apache License, Version 2.0"]),
        ("Other: x\n", []),
    ],
)
def test_licences_of_a_manifest(manifest, licences):
    content = jar({"META-INF/MANIFEST.MF": manifest, "A.class": ""})
    [found] = image_contents.components(stream({"a.jar": content}))
    assert found["licences"] == licences


def test_an_empty_jar_in_the_place_of_another_is_no_component():
    content = jar({"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\n"})
    assert image_contents.components(stream({"driver.jar": content})) == []


def test_apache_licence_text_is_recognized():
    text = "\n        Apache License\n   Version 2.0, January 2004\n"
    assert image_contents.describe_jar("a.jar", jar({"META-INF/LICENSE": text}))[0]["licences"] == [
        "Apache-2.0"
    ]
    assert (
        image_contents.describe_jar("a.jar", jar({"META-INF/LICENSE": "Mine\n"}))[0]["licences"]
        == []
    )


@pytest.mark.parametrize(
    ("fields", "licences"),
    [
        ("License-Expression: MIT OR BSD-2-Clause\n", ["MIT OR BSD-2-Clause"]),
        ("License: MIT\nClassifier: License :: OSI Approved :: Other\n", ["MIT"]),
        ("License: The whole\n text\nClassifier: License :: OSI Approved :: ISC\n", ["ISC"]),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved\n", []),
    ],
)
def test_python_packages_without_those_of_the_distribution(fields, licences):
    files = {
        "opt/watch/lib/python3.13/site-packages/c-1.dist-info/METADATA": METADATA + fields,
        "usr/lib/python3/dist-packages/x-1.dist-info/METADATA": METADATA + fields,
    }
    assert image_contents.components(stream(files)) == [
        {
            "kind": "python",
            "name": "confluent-kafka",
            "version": "2.16.1",
            "licences": licences,
        }
    ]


def test_java_runtime_is_one_component():
    files = {"opt/java/release": 'JAVA_VERSION="21.0.13"\n', "opt/java/lib/jrt-fs.jar": jar({})}
    [found] = image_contents.components(stream(files))
    assert (found["kind"], found["version"]) == ("java", "21.0.13")


@pytest.mark.parametrize("files", [{"a.jar": b"no archive"}, {"var/lib/dpkg/status": STATUS * 40}])
def test_incomplete_image_is_refused(files):
    half = io.BytesIO(stream(files).getvalue()[:1500])
    with pytest.raises(ValueError, match="archive of the file system is incomplete"):
        image_contents.components(half)
