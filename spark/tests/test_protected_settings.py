"""Which settings of a session a declaration may not change."""

from kafka_metal_declarations.client_options import refused
from kafka_metal_pipeline.session import BEHAVIOUR, JAVA_OPTION_KEYS


def test_a_declaration_changes_no_setting_that_protects() -> None:
    settings = [*BEHAVIOUR, *JAVA_OPTION_KEYS, "spark.driver.host", "spark.authenticate.secret"]
    found = [option for option, *_ in refused(dict.fromkeys(settings, "x"), "spark_options")]
    assert found == settings
