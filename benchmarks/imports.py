"""The import time of a package."""

import os
import subprocess
import sys
import tempfile


def import_time(module):
    """Returns the seconds to import a module in a new process that has imported NumPy, the minimum of five.

    A first process writes the bytecode, as the installation of a package does, regardless of the environment.
    """
    code = f"import time, numpy; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        runs = [
            subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, env=environment)
            for _ in range(6)
        ]
    return min(float(run.stdout) for run in runs[1:])
