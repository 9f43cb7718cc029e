"""Real servers on free ports: an S3-compatible store, and HDFS.

Both are downloaded once, by Go and Maven as configured on this machine.
"""

import os
import shutil
import subprocess
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.storage import to_xml
from containers import CACHE, Containers, eventually, free_port, image, output_of

VERSITYGW = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
MAVEN_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
TRUSTED_CHECKSUMS = "aether.artifactResolver.postProcessor.trustedChecksums"
ACCESS_KEY, SECRET_KEY, BUCKET = "storage-test", "hidden-from-everybody", "platform"


def versitygw(root: Path, containers: Containers) -> str:
    """Start the store; return its endpoint."""
    program = shutil.which("versitygw") or str(CACHE / "bin/versitygw")
    if not Path(program).exists():
        assert shutil.which("go"), "neither versitygw nor go, which builds it, is installed"
        subprocess.run(
            ["go", "install", "-p=1", VERSITYGW],
            env={**os.environ, "GOBIN": str(CACHE / "bin")},
            check=True,
        )
    for folder in ("objects", "sidecar"):
        (root / folder).mkdir()
    (root / "objects" / BUCKET).mkdir()
    port = free_port()
    process = subprocess.Popen(
        [
            *(program, f"--port=127.0.0.1:{port}"),
            *("posix", f"--sidecar={root / 'sidecar'}", str(root / "objects")),
        ],
        env={**os.environ, "ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY},
        stdout=(root / "log").open("w"),
        stderr=subprocess.STDOUT,
    )
    containers.callback(process.wait)
    containers.callback(process.terminate)
    eventually(lambda: "listening on" in (root / "log").read_text(), "versitygw listens", 30)
    return f"http://127.0.0.1:{port}"


def hdfs(root: Path, containers: Containers) -> str:
    """Start a namenode and a datanode; return the namenode's endpoint."""
    jars = CACHE / "hdfs"
    if not jars.is_dir():
        pom = Path(__file__).parent / "pom.xml"
        # Without Maven on this machine, the image `builder` has it.
        part = jars.with_name("hdfs.part")
        part.mkdir(parents=True, exist_ok=True)
        if shutil.which("mvn"):
            maven, place = ["mvn", "--batch-mode", "--quiet"], str(part)
            maven += ["--strict-checksums", f"--file={pom}"]
        else:
            mounts = [f"--volume={pom}:/pom.xml:ro", f"--volume={part}:/out"]
            maven, place = ["docker", "run", "--rm", *mounts, image("builder"), "mvn"], "/out"
            # The project's list lacks jars for tests; the repository's checksums are verified.
            maven += ["--file=/pom.xml", f"-D{TRUSTED_CHECKSUMS}=false"]
        output_of(*maven, MAVEN_PLUGIN, f"-DoutputDirectory={place}")
        part.rename(jars)
    ports = {name: free_port() for name in ("namenode", "http", "data", "data-http", "data-ipc")}
    namenode = f"127.0.0.1:{ports['namenode']}"
    settings = {
        "fs.defaultFS": f"hdfs://{namenode}",
        "hadoop.tmp.dir": "/data",
        "dfs.namenode.http-address": f"127.0.0.1:{ports['http']}",
        "dfs.datanode.address": f"127.0.0.1:{ports['data']}",
        "dfs.datanode.http.address": f"127.0.0.1:{ports['data-http']}",
        "dfs.datanode.ipc.address": f"127.0.0.1:{ports['data-ipc']}",
        "dfs.client.use.datanode.hostname": "false",
    }
    # The servers require folders of web pages.
    for folder in ("data", *(f"conf/webapps/{each}" for each in ("hdfs", "datanode", "static"))):
        (root / folder).mkdir(parents=True)
        (root / folder).chmod(0o777)
    # In both files: HDFS's own defaults override settings in core-site.xml.
    for file in ("core-site.xml", "hdfs-site.xml"):
        (root / "conf" / file).write_text(to_xml(settings))
    volumes = {f"{root}/conf": "/conf:ro", str(jars): "/jars:ro", f"{root}/data": "/data"}
    java = [
        *("java", "-Xmx192m", "--add-opens=java.base/java.lang=ALL-UNNAMED"),
        *("-cp", "/conf:/jars/*"),
    ]
    servers = "org.apache.hadoop.hdfs.server"
    formatted = containers.start(
        [*java, f"{servers}.namenode.NameNode", "-format", "-nonInteractive"], volumes
    )
    assert formatted.ended() == 0, formatted.log()[-3000:]
    for server in ("namenode.NameNode", "datanode.DataNode"):
        containers.start([*java, f"{servers}.{server}"], volumes)
    page = (
        f"http://127.0.0.1:{ports['http']}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
    )
    eventually(lambda: '"NumLiveDataNodes" : 1,' in answer(page), "a namenode with a datanode")
    return namenode


def answer(page: str) -> str:
    """Return the content of a page of this machine; empty while it does not respond."""
    try:
        with build_opener(ProxyHandler({})).open(page, timeout=60) as response:
            return str(response.read(), "utf-8")
    except OSError:
        return ""
