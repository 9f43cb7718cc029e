"""Runs the command ``kafka-metal-pipeline`` for ``python -m kafka_metal_pipeline``."""

import sys

from kafka_metal_pipeline.cli import main

sys.exit(main())
