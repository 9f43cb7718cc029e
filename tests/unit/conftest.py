import sys
from pathlib import Path

# Helpers beside the tests are imported by name; pytest's import mode leaves this folder out.
sys.path.insert(0, str(Path(__file__).parent))
