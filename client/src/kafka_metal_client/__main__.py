"""Run the command line with ``python -m kafka_metal_client``."""

from kafka_metal_client.cli import main

raise SystemExit(main())
