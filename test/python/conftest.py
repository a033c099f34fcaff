"""Makes the package of the source tree importable unless one is installed."""

import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("tilewright") is None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
