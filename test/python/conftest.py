"""Makes the package of the source tree importable, with the extension module of the build, unless one is installed."""

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

if importlib.util.find_spec("tilewright") is None:
    sys.path.insert(0, str(ROOT / "python"))
    import tilewright

    build = Path(os.environ.get("TILEWRIGHT_BUILD_DIR", ROOT / "build"))
    tilewright.__path__ = [*tilewright.__path__, str(build / "python" / "tilewright")]
