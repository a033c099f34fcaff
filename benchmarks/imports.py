"""How long a package takes to import."""

import os
import subprocess
import sys
import tempfile


def import_time(module):
    """Seconds of importing a module in a new process that has imported NumPy, the least of five. Bytecode is there, as
    it is where a package was installed: the first of the processes writes it, whatever the environment says of that."""
    code = f"import time, numpy; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        runs = [
            subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, env=environment)
            for _ in range(6)
        ]
    return min(float(run.stdout) for run in runs[1:])
