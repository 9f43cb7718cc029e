"""``python -m kafka_metal_bench``."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
