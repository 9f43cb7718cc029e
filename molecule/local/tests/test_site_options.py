"""Spark options of a site are passed to its pipelines."""


def test_spark_options_of_the_site_reach_its_pipelines(ask):
    # Not allowed in a pipeline's declaration.
    assert ["spark.ui.liveUpdate.period", "150ms"] in ask("environment")["sparkProperties"]
