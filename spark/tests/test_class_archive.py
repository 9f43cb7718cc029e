"""JVMs of drivers and executors load Spark's classes from the image's class data archive."""

import subprocess

from kafka_metal_pipeline import session


def test_a_jvm_loads_spark_from_the_archive():
    # With -Xshare:on the JVM may not ignore an archive that does not match.
    archive, _ = session.CLASS_ARCHIVE.split()
    options = [archive, "-Xshare:on", "-XX:+UseParallelGC", "-cp", session.CLASS_PATH]
    command = ["java", *options, "-Xlog:class+load", "org.apache.spark.deploy.SparkSubmit"]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if "] org.apache.spark." in line]
    # Classes of lambdas are created at run time, with an address in their name.
    own = [line for line in lines if "/0x" not in line]
    assert len(own) > 20
    assert [line for line in own if "source: shared objects file (top)" not in line] == []
