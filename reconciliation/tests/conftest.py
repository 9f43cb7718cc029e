import sys
from pathlib import Path

# Fakes of the Kafka client, shared by both packages.
sys.path.insert(0, str(Path(__file__).parents[2] / "client/tests"))
