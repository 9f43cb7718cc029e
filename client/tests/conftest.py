import sys
from pathlib import Path

# Helpers next to the tests are plain modules: the suite is imported file by file.
sys.path.insert(0, str(Path(__file__).parent))
