"""``python -m kafka_metal_pipeline`` is the command ``kafka-metal-pipeline``."""

import sys

from kafka_metal_pipeline.cli import main

sys.exit(main())
