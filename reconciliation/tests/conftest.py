import sys
from pathlib import Path

# Stand-ins for the Kafka client's objects, which both packages need.
sys.path.insert(0, str(Path(__file__).parents[2] / "client/tests"))
