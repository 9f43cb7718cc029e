"""From a mapping, as YAML gives it, to a Declaration, or to a list of what is wrong with it.

Needs no Spark: the control node runs it before anything is touched, the driver again.
"""

import re
from collections.abc import Mapping
from typing import Any

from kafka_metal_pipeline.ddl import RECORD_COLUMNS, Field, SchemaError, parse_ddl
from kafka_metal_pipeline.keys import DeclarationError, Problem, Section
from kafka_metal_pipeline.model import AVAILABLE_NOW, Declaration, Output, Resources, Source
from kafka_metal_pipeline.model import Watermark as Watermark
from kafka_metal_pipeline.outputs import OUTPUT_KEYS, parse_output, same_place
from kafka_metal_pipeline.sites import SITE_KEYS, parse_site
